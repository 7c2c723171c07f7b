/**
 * Kafka's access rules (ACLs), judged as Apache Kafka's StandardAuthorizer judges them: the embedded broker calls this for every request, and
 * the platform to answer "may this account read that topic?". Pure, so that both give the same answer.
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

/** One rule. A literal name `*` means every resource of the type; a prefixed one covers what begins so. */
export interface AccessRule {
  readonly resource: string;
  readonly pattern: string;
  readonly name: string;
  /** Without `User:`; `*` is everybody. */
  readonly user: string;
  /** The client's address; `*` is every one. */
  readonly host: string;
  readonly operation: string;
  readonly permission: 'allow' | 'deny';
}
export interface AccessQuestion {
  readonly user: string;
  /** Rules for one address alone do not count when it is not known. */
  readonly host?: string;
  readonly resource: AccessResource;
  readonly name: string;
  readonly operation: AccessOperation;
}
export interface AccessVerdict {
  readonly isAllowed: boolean;
  /** The rule that decided; undefined where none says anything, which is a refusal. */
  readonly rule: AccessRule | undefined;
}

const WILDCARD = '*';
/** Who may do one of these may describe, too: of what is allowed alone, a refusal to read does not hide. */
const impliesDescribe: readonly string[] = ['describe', 'read', 'write', 'delete', 'alter'];
const impliesDescribeConfigs: readonly string[] = ['describeConfigs', 'alterConfigs'];

const concerns = (rule: AccessRule, user: string, host: string | undefined): boolean =>
  (rule.user === user || rule.user === WILDCARD) && (rule.host === WILDCARD || rule.host === host);

/** Whether the rule's resource covers a name: itself, everything, or what begins so. */
export const coversName = ({ pattern, name }: Pick<AccessRule, 'pattern' | 'name'>, asked: string): boolean =>
  pattern === 'prefixed' ? asked.startsWith(name) : pattern === 'literal' && (name === asked || name === WILDCARD);

const coversOperation = ({ operation, permission }: AccessRule, asked: AccessOperation): boolean => {
  if (operation === 'all' || operation === asked) return true;
  if (permission === 'deny') return false;
  if (asked === 'describe') return impliesDescribe.includes(operation);
  return asked === 'describeConfigs' && impliesDescribeConfigs.includes(operation);
};

/** A refusal wins over whatever allows; what no rule names is refused. */
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
 * Whether something of the type may be touched at all, whatever its name: a producer that wants an id must be allowed to write to some topic.
 * What is allowed does not count where a refusal covers the whole of it. Implied operations do not count here, as in Kafka.
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
