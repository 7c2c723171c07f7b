/** Matches rules with the filters of DescribeAcls and DeleteAcls. */
import { coversName, type AccessRule } from '@slipway/contract/streaming/access-rules.ts';

import type { Request } from '../protocol/apis.ts';
import { ANY, MATCH, operationWords, patternWords, permissionWords, principalOf, resourceWords } from './acl-words.ts';

/** As in the protocol: null matches any name, principal or host. 1 matches any value of the other fields. */
export type RuleFilter = Request<'DescribeAcls'>;

/** Returns why a filter is invalid, or undefined if it is valid. */
export const filterFault = (filter: RuleFilter): string | undefined => {
  if (filter.resourceTypeFilter !== ANY && resourceWords.word(filter.resourceTypeFilter) === undefined) return 'Unknown resource type.';
  const pattern = filter.patternTypeFilter;
  if (pattern !== ANY && pattern !== MATCH && patternWords.word(pattern) === undefined) return 'Unknown pattern type.';
  if (filter.operation !== ANY && operationWords.word(filter.operation) === undefined) return 'Unknown operation.';
  if (filter.permissionType !== ANY && permissionWords.word(filter.permissionType) === undefined) return 'Unknown permission type.';
  return undefined;
};

const matchesName = ({ resourceNameFilter: name, patternTypeFilter: pattern }: RuleFilter, rule: AccessRule): boolean => {
  if (pattern !== ANY && pattern !== MATCH && patternWords.word(pattern) !== rule.pattern) return false;
  if (name === null) return true;
  return pattern === MATCH ? coversName(rule, name) : rule.name === name;
};

export const matchesFilter = (filter: RuleFilter, rule: AccessRule): boolean =>
  (filter.resourceTypeFilter === ANY || resourceWords.word(filter.resourceTypeFilter) === rule.resource) &&
  matchesName(filter, rule) &&
  (filter.principalFilter === null || filter.principalFilter === principalOf(rule.user)) &&
  (filter.hostFilter === null || filter.hostFilter === rule.host) &&
  (filter.operation === ANY || operationWords.word(filter.operation) === rule.operation) &&
  (filter.permissionType === ANY || permissionWords.word(filter.permissionType) === rule.permission);
