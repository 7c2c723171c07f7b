/**
 * Measures how long a developer waits: for a schema, a topic and an account, one after the other through the API, and for an acknowledged
 * message. Then measures the load of the idle broker on a laptop.
 */
import { startPlatform, makeTeam, type Platform } from '../platform.ts';
import { startClient } from './client.ts';
import { idleActivity, type Activity } from './activity.ts';
import { brokerPidBelow } from './peers.ts';

const app = 'bench-events';
const events = `/api/v1/apps/${app}/development`;
const schema = JSON.stringify({ type: 'record', name: 'Berthing', fields: [{ name: 'berth', type: 'string' }] });

export interface Steps {
  readonly schemaMs: number;
  readonly topicMs: number;
  readonly accountMs: number;
  /** A client that signs in, asks where the topic is, and sends. */
  readonly messageMs: number;
}
export interface FromApi {
  /** The broker starts with the first topic. */
  readonly cold: Steps;
  readonly warm: Steps;
  readonly idle: Activity;
}

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
};

const made = async (platform: Platform, path: string, body: object): Promise<void> => {
  const { pipelineId } = await platform.call('POST', path, body);
  await platform.completed(String(pipelineId));
};

const steps = async (platform: Platform, letter: string): Promise<Steps> => {
  const [schemaName, topicName, accountName] = [`schema${letter}`, `topic${letter}`, `account${letter}`];
  const schemaMs = await timed(() => made(platform, `${events}/schemas`, { name: schemaName, content: schema }));
  const { id } = await platform.call('GET', `${events}/schemas/${schemaName}`);
  const spec = { valueSchema: { resourceId: id } };
  const topicMs = await timed(() => made(platform, `${events}/topics`, { name: topicName, description: 'Of the bench', spec }));
  const topics = [{ resourceId: topicName }];
  const accountMs = await timed(() =>
    made(platform, `${events}/accounts`, { name: accountName, produceTopics: topics, consumeTopics: topics }),
  );
  const { user, password } = await platform.call('POST', `${events}/accounts/${accountName}/password`);
  const account = (await platform.call('GET', `${events}/accounts/${accountName}`)) as unknown as {
    connection: { bootstrapServers: string[] };
  };
  const client = await startClient({
    brokers: account.connection.bootstrapServers,
    mechanism: 'SCRAM-SHA-512',
    username: String(user),
    password: String(password),
  });
  try {
    const messageMs = await timed(() => client.measure({ kind: 'first', topic: `${app}.${topicName}` }));
    return { schemaMs, topicMs, accountMs, messageMs };
  } finally {
    client.stop();
  }
};

export const measureFromApi = async (): Promise<FromApi> => {
  const platform = await startPlatform();
  try {
    await makeTeam(platform);
    await made(platform, '/api/team-service/applications/v2', { id: app, displayName: 'Bench', teamId: 'bench' });
    const cold = await steps(platform, 'a');
    const warm = await steps(platform, 'b');
    return { cold, warm, idle: await idleActivity(brokerPidBelow(platform.pid)) };
  } finally {
    await platform.stop();
  }
};
