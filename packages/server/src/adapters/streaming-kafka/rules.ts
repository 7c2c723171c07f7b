/** Access rules (ACLs): sets the exact rules of a user, and evaluates a cluster's rules. */
import {
  AclOperations,
  AclPermissionTypes,
  createAclsV2,
  deleteAclsV2,
  describeAclsV2,
  ResourcePatternTypes,
  ResourceTypes,
  type AclFilter,
} from '@platformatic/kafka';
import { judgeAccess } from '@slipway/contract/streaming/access-rules.ts';
import { PortFailure } from '#ports/failure.ts';
import type { AccessQuestion, AccessRight, AccessRule, AccessRuleChange, AccessVerdict, RuleFilter } from '#ports/streaming.ts';
import type { KafkaCluster } from './cluster.ts';
import { SECURITY_DISABLED, throwIfFailed } from './failures.ts';
import { untilShown } from './patience.ts';

const EVERY: AclFilter = {
  resourceType: ResourceTypes.ANY,
  resourceName: null,
  resourcePatternType: ResourcePatternTypes.ANY,
  principal: null,
  host: null,
  operation: AclOperations.ANY,
  permissionType: AclPermissionTypes.ANY,
};
const PRINCIPAL = 'User:';
const EVERY_HOST = '*';
const topicFilter = (resourceName: string, resourcePatternType: AclFilter['resourcePatternType']): AclFilter => ({
  ...EVERY,
  resourceType: ResourceTypes.TOPIC,
  resourceName,
  resourcePatternType,
});

/** `TRANSACTIONAL_ID` ↔ `transactionalId`. */
const wordOf = (label: string): string => label.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
function words<Value extends number>(labels: Readonly<Record<string, Value>>) {
  const byWord = new Map(Object.entries(labels).map(([label, value]) => [wordOf(label), value]));
  const byValue = new Map([...byWord].map(([word, value]) => [value, word]));
  return {
    word: (value: Value): string => byValue.get(value) ?? `number${value}`,
    value: (word: string): Value => {
      const found = byWord.get(word);
      if (found === undefined)
        throw new PortFailure('rejected', `No rule says ${word}`, { code: 'StreamingUnsupported', context: { operation: word } });
      return found;
    },
  };
}
const resources = words(ResourceTypes);
const patterns = words(ResourcePatternTypes);
const operations = words(AclOperations);

export async function listRules(cluster: KafkaCluster, filter: RuleFilter): Promise<readonly AccessRule[]> {
  if (filter === 'all') return describe(cluster, EVERY);
  if ('user' in filter) return describe(cluster, { ...EVERY, principal: `${PRINCIPAL}${filter.user}` });
  const [found, { user: own }] = [await describe(cluster, topicFilter(filter.topic, ResourcePatternTypes.MATCH)), await cluster.access()];
  return found.filter(({ user }) => user !== own);
}

async function describe(cluster: KafkaCluster, filter: AclFilter): Promise<readonly AccessRule[]> {
  const answer = await cluster.ask('DescribeAcls', describeAclsV2.api, filter);
  throwIfFailed(answer.errorCode, 'DescribeAcls', answer.errorMessage);
  return answer.resources.flatMap(({ resourceType, resourceName, resourcePatternType, acls }) =>
    acls.flatMap(({ principal, host, operation, permissionType }) =>
      principal.startsWith(PRINCIPAL)
        ? {
            resource: resources.word(resourceType),
            pattern: patterns.word(resourcePatternType),
            name: resourceName,
            user: principal.slice(PRINCIPAL.length),
            host,
            operation: operations.word(operation),
            permission: permissionType === AclPermissionTypes.DENY ? 'deny' : 'allow',
          }
        : [],
    ),
  );
}

const keyOf = ({ resource, pattern, name, operation }: AccessRight | AccessRule): string =>
  JSON.stringify([resource, pattern, name, operation]);
const ruleKey = (rule: AccessRule): string => JSON.stringify([keyOf(rule), rule.user, rule.host, rule.permission]);
const isRight = ({ host, permission }: AccessRule): boolean => host === EVERY_HOST && permission === 'allow';

export async function setRights(cluster: KafkaCluster, user: string, rights: readonly AccessRight[]): Promise<AccessRuleChange> {
  const found = await listRules(cluster, { user });
  const wanted = new Set(rights.map(keyOf));
  const removed = found.filter((rule) => !isRight(rule) || !wanted.has(keyOf(rule)));
  const held = new Set(found.filter(isRight).map(keyOf));
  const added = rights.filter((right) => !held.has(keyOf(right)));
  await changeRights(cluster, user, { added, removed });
  return { added, removed };
}

export async function changeRights(cluster: KafkaCluster, user: string, { added, removed }: AccessRuleChange): Promise<void> {
  if (added.length > 0) await create(cluster, user, added);
  if (removed.length > 0) await remove(cluster, removed.map(exactly));
  if (added.length + removed.length > 0)
    await untilShown(async () => {
      const now = await listRules(cluster, { user });
      const rights = new Set(now.filter(isRight).map(keyOf));
      const rules = new Set(now.map(ruleKey));
      return added.every((right) => rights.has(keyOf(right))) && !removed.some((rule) => rules.has(ruleKey(rule)));
    });
}

async function create(cluster: KafkaCluster, user: string, rights: readonly AccessRight[]): Promise<void> {
  const creations = rights.map(({ resource, pattern, name, operation }) => ({
    resourceType: resources.value(resource),
    resourceName: name,
    resourcePatternType: patterns.value(pattern),
    principal: `${PRINCIPAL}${user}`,
    host: EVERY_HOST,
    operation: operations.value(operation),
    permissionType: AclPermissionTypes.ALLOW,
  }));
  const { results } = await cluster.askController('CreateAcls', createAclsV2.api, creations);
  for (const { errorCode, errorMessage } of results) throwIfFailed(errorCode, 'CreateAcls', errorMessage);
}

const exactly = ({ resource, pattern, name, user, host, operation, permission }: AccessRule): AclFilter => ({
  resourceType: resources.value(resource),
  resourceName: name,
  resourcePatternType: patterns.value(pattern),
  principal: `${PRINCIPAL}${user}`,
  host,
  operation: operations.value(operation),
  permissionType: permission === 'deny' ? AclPermissionTypes.DENY : AclPermissionTypes.ALLOW,
});

async function remove(cluster: KafkaCluster, filters: AclFilter[]): Promise<void> {
  const { filterResults } = await cluster.askController('DeleteAcls', deleteAclsV2.api, filters);
  for (const { errorCode, errorMessage, matchingAcls } of filterResults) {
    throwIfFailed(errorCode, 'DeleteAcls', errorMessage);
    for (const acl of matchingAcls) throwIfFailed(acl.errorCode, 'DeleteAcls', acl.errorMessage);
  }
}

/** Removes the rules with exactly this topic name. A cluster without an authorizer has no rules to remove. */
export async function removeRulesOfTopic(cluster: KafkaCluster, topic: string): Promise<void> {
  const filter = topicFilter(topic, ResourcePatternTypes.LITERAL);
  const { filterResults } = await cluster.askController('DeleteAcls', deleteAclsV2.api, [filter]);
  for (const { errorCode, errorMessage } of filterResults)
    if (errorCode !== SECURITY_DISABLED) throwIfFailed(errorCode, 'DeleteAcls', errorMessage);
}

/** Evaluates the cluster's rules. Ignores rules for single hosts, which say nothing about clients elsewhere. */
export async function mayAccess(cluster: KafkaCluster, question: AccessQuestion): Promise<AccessVerdict> {
  const { resource, name } = question;
  const filter = { ...EVERY, resourceType: resources.value(resource), resourceName: name, resourcePatternType: ResourcePatternTypes.MATCH };
  return judgeAccess(await describe(cluster, filter), question);
}
