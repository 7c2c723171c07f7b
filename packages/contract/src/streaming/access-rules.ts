/**
 * Evaluates Kafka access rules (ACLs) like Apache Kafka's StandardAuthorizer. The embedded broker calls this for every request, and the
 * platform calls it to answer "may this account read that topic?". Pure, so both get the same answer.
 */

export type AccessResource = 'topic' | 'group' | 'cluster' | 'transactionalId' | 'delegationToken' | 'user';
export type AccessOperation =
  | 'all'
  | 'read'
  | 'write'
  | 'create'
  | 'delete'
  | 'alter'
  | 'describe'
  | 'clusterAction'
  | 'describeConfigs'
  | 'alterConfigs'
  | 'idempotentWrite'
  | 'createTokens'
  | 'describeTokens';

/** One rule. The literal name `*` matches every resource of the type; a prefixed name matches every resource that starts with it. */
export interface AccessRule {
  readonly resource: string;
  readonly pattern: string;
  readonly name: string;
  /** Without `User:`; `*` matches every user. */
  readonly user: string;
  /** The client's address; `*` matches every address. */
  readonly host: string;
  readonly operation: string;
  readonly permission: 'allow' | 'deny';
}
export interface AccessQuestion {
  readonly user: string;
  /** If undefined, only rules for every address apply. */
  readonly host?: string;
  readonly resource: AccessResource;
  readonly name: string;
  readonly operation: AccessOperation;
}
export interface AccessVerdict {
  readonly isAllowed: boolean;
  /** The deciding rule, or undefined if none applies; access is then denied. */
  readonly rule: AccessRule | undefined;
}

const WILDCARD = '*';
/** Operations that imply describe, but only in allow rules: denying read does not deny describe. */
const impliesDescribe: readonly string[] = ['describe', 'read', 'write', 'delete', 'alter'];
const impliesDescribeConfigs: readonly string[] = ['describeConfigs', 'alterConfigs'];

const concerns = (rule: AccessRule, user: string, host: string | undefined): boolean =>
  (rule.user === user || rule.user === WILDCARD) && (rule.host === WILDCARD || rule.host === host);

/** True if the rule's resource covers the name: an exact match, the wildcard, or a prefix. */
export const coversName = ({ pattern, name }: Pick<AccessRule, 'pattern' | 'name'>, asked: string): boolean =>
  pattern === 'prefixed' ? asked.startsWith(name) : pattern === 'literal' && (name === asked || name === WILDCARD);

const coversOperation = ({ operation, permission }: AccessRule, asked: AccessOperation): boolean => {
  if (operation === 'all' || operation === asked) return true;
  if (permission === 'deny') return false;
  if (asked === 'describe') return impliesDescribe.includes(operation);
  return asked === 'describeConfigs' && impliesDescribeConfigs.includes(operation);
};

/** Deny rules win over allow rules. Without a matching rule, access is denied. */
export const judgeAccess = (rules: Iterable<AccessRule>, question: AccessQuestion): AccessVerdict => {
  let allowing: AccessRule | undefined;
  for (const rule of rules) {
    if (rule.resource !== question.resource || !concerns(rule, question.user, question.host)) continue;
    if (!coversName(rule, question.name) || !coversOperation(rule, question.operation)) continue;
    if (rule.permission === 'deny') return { isAllowed: false, rule };
    allowing ??= rule;
  }
  return { isAllowed: allowing !== undefined, rule: allowing };
};

/**
 * True if the user may access at least one resource of the type: a producer that needs a producer id must be allowed to write to some
 * topic. An allow rule does not count if a deny rule covers it completely. Implied operations do not count here, as in Kafka.
 */
export const isAllowedOnAny = (rules: Iterable<AccessRule>, asked: Omit<AccessQuestion, 'name'>): boolean => {
  const about = [...rules].filter(
    (rule) =>
      rule.resource === asked.resource &&
      concerns(rule, asked.user, asked.host) &&
      (rule.operation === asked.operation || rule.operation === 'all'),
  );
  const refused = about.filter(({ permission }) => permission === 'deny');
  const isRefused = ({ pattern, name }: AccessRule): boolean =>
    refused.some((rule) => (rule.pattern === 'prefixed' || pattern === 'literal' || rule.name === WILDCARD) && coversName(rule, name));
  return about.some((rule) => rule.permission === 'allow' && !isRefused(rule));
};
