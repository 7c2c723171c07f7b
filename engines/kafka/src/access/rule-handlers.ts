/** DescribeAcls, CreateAcls and DeleteAcls. Reading rules needs DESCRIBE on the cluster, changing them ALTER. */
import type { AccessRule } from '@slipway/contract/streaming/access-rules.ts';

import { CLUSTER, operations, resourceTypes, type AnyHandler, type Authorizer, type Caller, type Operation } from '../parts.ts';
import type { Request, Response } from '../protocol/apis.ts';
import { errors } from '../protocol/errors.ts';
import { handler } from '../protocol/handler.ts';
import { operationWords, patternWords, permissionWords, principalOf, resourceWords, userOf } from './acl-words.ts';
import { filterFault } from './rule-filter.ts';
import type { RuleStore } from './rule-store.ts';

type Creation = Request<'CreateAcls'>['creations'][number];

export const REFUSED = { errorCode: errors.CLUSTER_AUTHORIZATION_FAILED, errorMessage: 'Cluster authorization failed.' } as const;
const NONE = { errorCode: errors.NONE, errorMessage: null } as const;
const invalid = (errorMessage: string) => ({ errorCode: errors.INVALID_REQUEST, errorMessage }) as const;

export const mayOnCluster = (authorizer: Authorizer, caller: Caller, operation: Operation): boolean =>
  authorizer.may(caller, operation, resourceTypes.cluster, CLUSTER);

/**
 * Returns the rule, or why it is invalid. For some of these, Kafka closes the connection or answers an unknown error. Kafka also accepts
 * rules without a host or user name, which never match.
 */
const ruleOf = (creation: Creation): AccessRule | string => {
  const resource = resourceWords.word(creation.resourceType);
  const pattern = patternWords.word(creation.resourcePatternType);
  const operation = operationWords.word(creation.operation);
  const permission = permissionWords.word(creation.permissionType);
  const user = userOf(creation.principal);
  const { resourceName: name, host } = creation;
  if (resource === undefined) return `Invalid resourceType ${creation.resourceType}`;
  if (resource === 'cluster' && name !== CLUSTER) return `The only valid name for the CLUSTER resource is ${CLUSTER}`;
  if (name === '') return 'Invalid empty resource name';
  if (pattern === undefined) return `Invalid patternType ${creation.resourcePatternType}`;
  if (operation === undefined) return `Invalid operation ${creation.operation}`;
  if (permission === undefined) return `Invalid permissionType ${creation.permissionType}`;
  if (user === undefined) return 'The principal must be User:, followed by a name';
  if (host === '') return 'Invalid empty host';
  return { resource, pattern, name, user, host, operation, permission };
};

const aclOf = (rule: AccessRule) => ({
  principal: principalOf(rule.user),
  host: rule.host,
  operation: operationWords.number(rule.operation),
  permissionType: permissionWords.number(rule.permission),
});
const patternOf = (rule: AccessRule) => ({
  resourceType: resourceWords.number(rule.resource),
  resourceName: rule.name,
  patternType: patternWords.number(rule.pattern),
});

const describe = (rules: readonly AccessRule[]): Response<'DescribeAcls'>['resources'] => {
  const byPattern = Map.groupBy(rules, (rule) => JSON.stringify([rule.resource, rule.pattern, rule.name]));
  return [...byPattern.values()].flatMap(([first, ...rest]) =>
    first === undefined ? [] : [{ ...patternOf(first), acls: [first, ...rest].map(aclOf) }],
  );
};

const createAcls = async (store: RuleStore, { creations }: Request<'CreateAcls'>): Promise<Response<'CreateAcls'>> => {
  const rules = creations.map(ruleOf);
  await store.create(rules.filter((rule) => typeof rule !== 'string'));
  return { throttleTimeMs: 0, results: rules.map((rule) => (typeof rule === 'string' ? invalid(rule) : NONE)) };
};

const deleteAcls = async (store: RuleStore, { filters }: Request<'DeleteAcls'>): Promise<Response<'DeleteAcls'>> => {
  const faults = filters.map(filterFault);
  const deleted = await store.delete(filters.filter((_, index) => faults[index] === undefined));
  const filterResults = faults.map((fault) => {
    if (fault !== undefined) return { ...invalid(fault), matchingAcls: [] };
    const matchingAcls = (deleted.shift() ?? []).map((rule) => ({ ...NONE, ...patternOf(rule), ...aclOf(rule) }));
    return { ...NONE, matchingAcls };
  });
  return { throttleTimeMs: 0, filterResults };
};

export const ruleHandlers = (store: RuleStore, authorizer: Authorizer): readonly AnyHandler[] => [
  handler({
    api: 'DescribeAcls',
    versions: [1, 3],
    handle(request, caller) {
      if (!mayOnCluster(authorizer, caller, operations.describe)) return { throttleTimeMs: 0, ...REFUSED, resources: [] };
      const fault = filterFault(request);
      if (fault !== undefined) return { throttleTimeMs: 0, ...invalid(fault), resources: [] };
      return { throttleTimeMs: 0, ...NONE, resources: describe(store.matching(request)) };
    },
  }),
  handler({
    api: 'CreateAcls',
    versions: [1, 3],
    handle(request, caller) {
      if (mayOnCluster(authorizer, caller, operations.alter)) return createAcls(store, request);
      return { throttleTimeMs: 0, results: request.creations.map(() => REFUSED) };
    },
  }),
  handler({
    api: 'DeleteAcls',
    versions: [1, 3],
    handle(request, caller) {
      if (mayOnCluster(authorizer, caller, operations.alter)) return deleteAcls(store, request);
      return { throttleTimeMs: 0, filterResults: request.filters.map(() => ({ ...REFUSED, matchingAcls: [] })) };
    },
  }),
];
