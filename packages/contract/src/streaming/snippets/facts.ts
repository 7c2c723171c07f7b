/**
 * Input of the snippets. A program reads user, password and certificate authority from environment variables named like the keys of the
 * account's secret group, because rotation changes the credentials. Everything else is filled in.
 */
import type { Account, AccountTopic } from '../account.ts';
import type { SchemaType } from '../schema.ts';

export const snippetUses = ['read', 'write'] as const;
export type SnippetUse = (typeof snippetUses)[number];

export interface SnippetFacts {
  readonly user: string;
  readonly groupPrefix: string;
  /** Name on the cluster. */
  readonly topic: string;
  readonly bootstrapServers: readonly string[];
  /** `own`: the authority that signed the certificates is not in system trust stores. */
  readonly tls: 'none' | 'system' | 'own';
  /** Undefined if the program reads and writes plain text. */
  readonly schema?: SnippetSchema | undefined;
}
/** Schema of the topic's values. */
export interface SnippetSchema {
  readonly type: SchemaType;
  readonly registryUrl: string;
  /** A valid value, as JSON. */
  readonly sample: unknown;
}
export type Snippet = (facts: SnippetFacts & { readonly use: SnippetUse }) => string;

type Connection = NonNullable<Account['connection']>;
const tlsOf = ({ securityProtocol, certificateAuthority }: Connection): SnippetFacts['tls'] => {
  if (securityProtocol !== 'SASL_SSL') return 'none';
  return certificateAuthority === null ? 'system' : 'own';
};

/** Returns the topic for a snippet: the named topic, or the first by default. Considers only approved topics for that use. */
export const snippetTopic = ({ produceTopics, consumeTopics }: Account, use: SnippetUse, named?: string): AccountTopic | undefined =>
  (use === 'read' ? consumeTopics : produceTopics).find(
    ({ state, topicName }) => state === 'APPROVED' && (named === undefined || named === topicName),
  );

interface Shown {
  /** Name on the cluster. */
  readonly topic?: string | undefined;
  /** A value that is valid for the topic's schema. */
  readonly sample?: unknown;
}
/** Returns undefined until the account is created and has an approved topic for that use. */
export const snippetFacts = (account: Account, use: SnippetUse, { topic: named, sample }: Shown = {}): SnippetFacts | undefined => {
  const { connection, user, groupPrefix } = account;
  const topic = snippetTopic(account, use, named);
  if (!connection || !topic) return undefined;
  const { bootstrapServers, schemaRegistryUrl: registryUrl } = connection;
  const schema =
    topic.valueSchema && registryUrl !== null ? { type: topic.valueSchema.type, registryUrl, sample: sample ?? {} } : undefined;
  return { user, groupPrefix, topic: topic.topicName, bootstrapServers, tls: tlsOf(connection), schema };
};
/** Facts that do not depend on a topic. */
export type ConnectionFacts = Pick<SnippetFacts, 'user' | 'groupPrefix' | 'bootstrapServers' | 'tls'>;
export const connectionFacts = ({ connection, user, groupPrefix }: Account): ConnectionFacts | undefined =>
  connection ? { user, groupPrefix, bootstrapServers: connection.bootstrapServers, tls: tlsOf(connection) } : undefined;

/** Returns a quoted string that is valid in JavaScript, Java, Python and Go. */
export const text = (value: string): string => JSON.stringify(value);
export const single = (value: string): string => `'${value.replace(/['\\]/g, '\\$&')}'`;
export const group = ({ groupPrefix }: SnippetFacts): string => `${groupPrefix}main`;
/** The same for both users of an account, so a client keeps its id across password rotations. */
export const clientId = ({ groupPrefix }: SnippetFacts): string => groupPrefix.replace(/\.$/, '');
/** Warns in a program that writes plain text to a topic with a schema: readers that decode with the schema would fail. */
export const textNote = ({ schema, use }: SnippetFacts & { readonly use: SnippetUse }, sign: '//' | '#'): string =>
  schema && use === 'write'
    ? `${sign} This topic has a schema, and this is plain text: encode the value before you write for others.\n`
    : '';
export const protocol = ({ tls }: Pick<SnippetFacts, 'tls'>): string => (tls === 'none' ? 'SASL_PLAINTEXT' : 'SASL_SSL');
