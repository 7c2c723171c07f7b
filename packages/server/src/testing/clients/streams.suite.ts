/** Tests Kafka Streams with the embedded broker: what an account may count, what it is refused, and a whole word count by the platform's user. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SUPER, connect, localBroker } from '@slipway/kafka/access/local-broker.fixture.ts';
import { directoryForTest } from '@slipway/kafka/access/access.fixture.ts';
import { PATIENCE_MS } from '#testing/patience.ts';
import { factsOf } from './client.suite.ts';
import type { ClientPlatform } from './client-platform.fixture.ts';
import { clientPrograms, freshFolder, javaLibrary, javaStarted, lacksMaven, runUntil } from './client-programs.fixture.ts';

export const streamsAccount = 'streams';
const timeout = 8 * PATIENCE_MS;
const file = join(import.meta.dirname, 'programs/WordCount.java');

export function streamsSuite(platform: () => ClientPlatform): void {
  const missing = clientPrograms.java.missing() ?? lacksMaven();
  if (missing !== undefined) process.stdout.write(`SKIPPED: Kafka Streams: ${missing}\n`);
  const isHere = test.skipIf(missing !== undefined);
  const outputOf = async (env: NodeJS.ProcessEnv): Promise<string> => {
    const state = await freshFolder();
    onTestFinished(() => rm(state, { recursive: true, force: true }));
    const started = javaStarted(file, await javaLibrary('org.apache.kafka:kafka-streams'));
    return (await runUntil(started, { env: { ...env, STATE: state } })).output;
  };
  const ofAccount = (guarantee: string, more: NodeJS.ProcessEnv = {}): Promise<string> => {
    const own = platform().accountOf(streamsAccount);
    const { topic, groupPrefix, bootstrapServers } = factsOf(own, 'read');
    const program = {
      TOPIC: topic,
      GROUP: `${groupPrefix}${guarantee}${Object.keys(more).length}`,
      BOOTSTRAP_SERVERS: bootstrapServers.join(','),
    };
    return outputOf({ ...own.env, ...program, ...more, GUARANTEE: guarantee });
  };

  isHere('Kafka Streams counts at least once with the rights of an account', { timeout }, async () => {
    expect((await ofAccount('at_least_once')).split('\n')).toContain('tug 3');
  });

  isHere('Kafka Streams is refused exactly once, in words', { timeout }, async () => {
    expect(await ofAccount('exactly_once_v2')).toMatch(/^stopped .*This development broker has no transactions/m);
  });

  isHere('Kafka Streams is refused topics of its own with the rights of an account', { timeout }, async () => {
    expect(await ofAccount('at_least_once', { CREATES_TOPICS: '1' })).toMatch(/^stopped TopicAuthorizationException /m);
  });

  isHere('Kafka Streams counts words by topics of its own, as a user that may make them', { timeout }, async () => {
    const { broker, port } = await localBroker((await directoryForTest()).directory);
    onTestFinished(() => broker.close());
    const client = await connect(port, SUPER);
    const topic = { name: 'lines', numPartitions: 2, replicationFactor: 1, assignments: [], configs: [] };
    await client.call('CreateTopics', 7, { topics: [topic], timeoutMs: 5000, validateOnly: false });
    client.close();
    const env = { KAFKA_USERNAME: SUPER.name, KAFKA_PASSWORD: SUPER.password, BOOTSTRAP_SERVERS: `127.0.0.1:${port}` };
    const output = await outputOf({ ...env, TOPIC: 'lines', GROUP: 'wordcount', GUARANTEE: 'at_least_once', CREATES_TOPICS: '1' });
    expect(output.split('\n')).toEqual(expect.arrayContaining(['pilot 2', 'tug 3']));
  });
}
