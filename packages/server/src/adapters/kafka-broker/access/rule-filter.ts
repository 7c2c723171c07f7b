/** Which rules a filter of DescribeAcls or DeleteAcls means. */
import { coversName, type AccessRule } from '@slipway/contract/streaming/access-rules.ts';

import type { Request } from '../protocol/apis.ts';
import { ANY, MATCH, operationWords, patternWords, permissionWords, principalOf, resourceWords } from './acl-words.ts';

/** As the protocol has it: null is any name, principal or host; 1 is any of the others. */
export type RuleFilter = Request<'DescribeAcls'>;

/** Why a filter means nothing; undefined where it means something. */
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
