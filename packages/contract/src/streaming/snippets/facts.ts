/**
 * What a program has to know to use an account. What a change of the password changes, user and password, it takes from the environment, under
 * the names of the account's secret group, and so the authority of the brokers' certificates; the rest is filled in.
 */
import type { Account, AccountTopic } from '../account.ts';
import type { SchemaType } from '../schema.ts';

export const snippetUses = ['read', 'write'] as const;
export type SnippetUse = (typeof snippetUses)[number];

export interface SnippetFacts {
  readonly user: string;
  readonly groupPrefix: string;
  /** As the cluster knows it. */
  readonly topic: string;
  readonly bootstrapServers: readonly string[];
  /** `own`: the certificates are signed by an authority that no machine knows by itself. */
  readonly tls: 'none' | 'system' | 'own';
  /** Undefined where the program writes and reads text. */
  readonly schema?: SnippetSchema | undefined;
}
/** Of the topic's values. */
export interface SnippetSchema {
  readonly type: SchemaType;
  readonly registryUrl: string;
  /** A value that fits, as JSON. */
  readonly sample: unknown;
}
export type Snippet = (facts: SnippetFacts & { readonly use: SnippetUse }) => string;

type Connection = NonNullable<Account['connection']>;
const tlsOf = ({ securityProtocol, certificateAuthority }: Connection): SnippetFacts['tls'] => {
  if (securityProtocol !== 'SASL_SSL') return 'none';
  return certificateAuthority === null ? 'system' : 'own';
};

/** What a program is shown for: the first that the account has for that, or the one that is named, if it may. */
export const snippetTopic = ({ produceTopics, consumeTopics }: Account, use: SnippetUse, named?: string): AccountTopic | undefined =>
  (use === 'read' ? consumeTopics : produceTopics).find(
    ({ state, topicName }) => state === 'APPROVED' && (named === undefined || named === topicName),
  );

interface Shown {
  /** As the cluster knows it. */
  readonly topic?: string | undefined;
  /** A value that fits the topic's schema. */
  readonly sample?: unknown;
}
/** Of an account that is there; undefined before. */
export const snippetFacts = (account: Account, use: SnippetUse, { topic: named, sample }: Shown = {}): SnippetFacts | undefined => {
  const { connection, user, groupPrefix } = account;
  const topic = snippetTopic(account, use, named);
  if (!connection || !topic) return undefined;
  const { bootstrapServers, schemaRegistryUrl: registryUrl } = connection;
  const schema =
    topic.valueSchema && registryUrl !== null ? { type: topic.valueSchema.type, registryUrl, sample: sample ?? {} } : undefined;
  return { user, groupPrefix, topic: topic.topicName, bootstrapServers, tls: tlsOf(connection), schema };
};
/** What concerns no topic. */
export type ConnectionFacts = Pick<SnippetFacts, 'user' | 'groupPrefix' | 'bootstrapServers' | 'tls'>;
export const connectionFacts = ({ connection, user, groupPrefix }: Account): ConnectionFacts | undefined =>
  connection ? { user, groupPrefix, bootstrapServers: connection.bootstrapServers, tls: tlsOf(connection) } : undefined;

/** In quotes as JavaScript, Java, Python and Go read them alike. */
export const text = (value: string): string => JSON.stringify(value);
export const single = (value: string): string => `'${value.replace(/['\\]/g, '\\$&')}'`;
export const group = ({ groupPrefix }: SnippetFacts): string => `${groupPrefix}main`;
/** The same for both users of an account, so that a client keeps its name over a change of the password. */
export const clientId = ({ groupPrefix }: SnippetFacts): string => groupPrefix.replace(/\.$/, '');
/** For a program that writes text where the topic has a schema: whoever reads by it would stop there. */
export const textNote = ({ schema, use }: SnippetFacts & { readonly use: SnippetUse }, sign: '//' | '#'): string =>
  schema && use === 'write'
    ? `${sign} This topic has a schema, and this is plain text: encode the value before you write for others.\n`
    : '';
export const protocol = ({ tls }: Pick<SnippetFacts, 'tls'>): string => (tls === 'none' ? 'SASL_PLAINTEXT' : 'SASL_SSL');
