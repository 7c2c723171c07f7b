/**
 * Reads what the broker and the schema registry of a platform hold, and what the platform's rows want them to hold.
 * Asks the embedded broker over Kafka's protocol as the platform's own user, and the registry by its API. Neither side knows the other.
 */
import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { FileKeys } from '#adapters/keys-file/file-keys.ts';
import { NO_TOPIC_ID } from '@slipway/kafka/handlers/metadata.ts';
import { readHead } from '@slipway/kafka/log/batch.ts';
import { openBatch } from '@slipway/kafka/log/records/opened.fixture.ts';
import { RawClient } from '@slipway/kafka/raw-client.fixture.ts';
import { CLOSED_ITERATIONS } from '#adapters/streaming-kafka/users.ts';
import { platformKey } from '#kernel/platform-keys.ts';

export interface StreamingState {
  /** With its partitions and how long messages are kept. */
  readonly topics: readonly string[];
  readonly users: readonly string[];
  /** `user operation resource name`. */
  readonly rules: readonly string[];
  readonly subjects: readonly string[];
}

/** Returns the password of the user that the platform itself has on the broker. */
export const brokerPassword = async (pool: Pool, dataDir: string): Promise<string> => {
  const keys = new FileKeys(join(dataDir, 'keys'));
  const never = (): never => {
    throw new Error('The platform has no password of a broker yet');
  };
  return Buffer.from(await platformKey(pool, keys, 'broker-password', never)).toString();
};

/** Finds the broker's process by the log that it writes. Returns undefined if no broker runs. Needs Linux's /proc. */
export const brokerPid = (dataDir: string): number | undefined => {
  const log = join(realpathSync(join(dataDir, 'streaming/broker')), 'broker.log');
  const found = readdirSync('/proc').find((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('broker-main') && readlinkSync(`/proc/${pid}/fd/2`) === log;
    } catch {
      return false;
    }
  });
  return found === undefined ? undefined : Number(found);
};

const words = { 2: 'topic', 3: 'group' } as const;
const operations = { 3: 'read', 4: 'write' } as const;
const wordIn = (table: Readonly<Record<number, string>>, value: number): string => table[value] ?? String(value);
const ANY = {
  resourceTypeFilter: 1,
  patternTypeFilter: 1,
  resourceNameFilter: null,
  principalFilter: null,
  hostFilter: null,
  operation: 1,
  permissionType: 1,
} as const;

/** Fails while the broker is away. */
export const onBroker = async (port: number, password: string): Promise<Omit<StreamingState, 'subjects'>> => {
  const client = await RawClient.signedIn(port, 'slipway', password);
  try {
    const metadata = await client.call('Metadata', 12, { topics: null });
    const names = (metadata?.topics ?? []).map(({ name }) => name ?? '');
    const resources = names.map((resourceName) => ({ resourceType: 2, resourceName, configurationKeys: ['retention.ms'] }));
    const configs = await client.call('DescribeConfigs', 4, { resources });
    const users = await client.call('DescribeUserScramCredentials', 0, { users: null });
    const rules = await client.call('DescribeAcls', 3, ANY);
    if (!metadata || !configs || !users || !rules) throw new Error('the connection was closed');
    const kept = new Map(configs.results.map(({ resourceName, configs: [retention] }) => [resourceName, retention?.value]));
    return {
      topics: metadata.topics.map(({ name, partitions }) => `${name} ${partitions.length} ${kept.get(name ?? '')}`).toSorted(),
      // A closed user stays on the broker, and no password opens it.
      users: users.results
        .filter(({ credentialInfos }) => credentialInfos.some(({ iterations }) => iterations !== CLOSED_ITERATIONS))
        .map(({ user }) => user)
        .toSorted(),
      rules: rules.resources
        .flatMap(({ resourceType, resourceName, acls }) =>
          acls.map(
            (rule) =>
              `${rule.principal.slice('User:'.length)} ${wordIn(operations, rule.operation)} ${wordIn(words, resourceType)} ${resourceName}`,
          ),
        )
        .toSorted(),
    };
  } finally {
    client.close();
  }
};

export const inRegistry = async (url: string, token: string): Promise<readonly string[]> => {
  const answer = await fetch(`${url}/schema-registry/development/subjects`, { headers: { authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new Error(`The registry answered ${answer.status}`);
  const subjects: unknown = await answer.json();
  return Array.isArray(subjects) ? subjects.map(String).toSorted() : [];
};

/** Selects the state that the rows want. Covers entities that were created and are not being deleted. */
const WANTED = `
  with live as (
    select account.id, account.group_prefix, account.principal || case when turn = 2 then '~2' else '' end as name
      from account where state = 'ACTIVE' and turn is not null
    union all
    select account.id, account.group_prefix, account.principal || case when turn = 2 then '' else '~2' end
      from account where state = 'ACTIVE' and former_ends_at is not null),
  granted as (
    select live.name as user_name, live.group_prefix, lower(topic_grant.operation) as operation, topic.topic_name
      from live join topic_grant on account_id = live.id join topic on topic.id = topic_id
      where topic_grant.is_listed and topic_grant.state = 'APPROVED')
  select
    (select coalesce(array_agg(topic_name || ' ' || partitions || ' ' || retention_hours * 3600000::bigint), '{}') from topic where state = 'ACTIVE') as topics,
    (select coalesce(array_agg(name), '{}') from live) as users,
    (select coalesce(array_agg(rule), '{}') from (
      select user_name || ' ' || operation || ' topic ' || topic_name as rule from granted
      union select user_name || ' read group ' || group_prefix from granted where operation = 'read') as rules) as rules,
    (select coalesce(array_agg(subject), '{}') from (
      select subject from event_schema where state = 'ACTIVE'
      union select topic_name || '-value' from topic where state = 'ACTIVE'
      union select topic_name || '-key' from topic where state = 'ACTIVE' and key_schema_id is not null) as subjects) as subjects`;

export const wantedByRows = async (pool: Pool): Promise<StreamingState> => {
  const { rows } = await pool.query<Record<keyof StreamingState, string[]>>(WANTED);
  const [found] = rows;
  if (!found) throw new Error('There is no answer');
  const sorted = (names: readonly string[]): string[] => names.toSorted();
  return { topics: sorted(found.topics), users: sorted(found.users), rules: sorted(found.rules), subjects: sorted(found.subjects) };
};

/** Returns what exists but is not wanted, and what is wanted but does not exist. */
export const streamingDifferences = (there: StreamingState, wanted: StreamingState): string[] =>
  (['topics', 'users', 'rules', 'subjects'] as const).flatMap((key) => [
    ...there[key].filter((one) => !wanted[key].includes(one)).map((one) => `${key}: ${one} is there, and nobody wants it`),
    ...wanted[key].filter((one) => !there[key].includes(one)).map((one) => `${key}: ${one} is wanted, and not there`),
  ]);

/** Keys of all messages of a partition, as they lie there. */
export const keysOnTopic = async (client: RawClient, topic: string, partition: number): Promise<string[]> => {
  const keys: string[] = [];
  for (let fetchOffset = 0; ;) {
    const asked = { partition, currentLeaderEpoch: -1, fetchOffset, lastFetchedEpoch: -1, logStartOffset: -1, partitionMaxBytes: 1 << 20 };
    const topics = [{ topic, topicId: NO_TOPIC_ID, partitions: [{ ...asked, replicaDirectoryId: NO_TOPIC_ID }] }];
    const answer = await client.call('Fetch', 12, { maxWaitMs: 0, minBytes: 0, maxBytes: 1 << 20, sessionEpoch: -1, topics });
    const found = answer?.responses[0]?.partitions[0];
    if (found?.errorCode !== 0) throw new Error(`${topic} could not be read: ${found?.errorCode}`);
    const bytes = Buffer.concat([found.records ?? Buffer.alloc(0)].flat());
    if (bytes.length === 0) return keys;
    for (let at = 0; at < bytes.length;) {
      const head = readHead(bytes, at);
      keys.push(...openBatch(bytes.subarray(at)).map(({ key }) => String(key)));
      at += head.bytes;
      fetchOffset = head.lastOffset + 1;
    }
  }
};
