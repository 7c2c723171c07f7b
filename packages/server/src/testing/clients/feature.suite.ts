/**
 * Tests what clients do beyond the shortest programs: every compression, large batches, committed reads, transactions.
 * Also tests Kafka's own tools and the connection files.
 */
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectionFileOf } from '@slipway/contract/streaming/snippets/connection-files.ts';
import { connectionFacts, type ConnectionFacts } from '@slipway/contract/streaming/snippets/facts.ts';
import type { SnippetLanguage } from '@slipway/contract/streaming/snippets/snippets.ts';
import { PATIENCE_MS } from '#testing/patience.ts';
import { factsOf } from './client.suite.ts';
import type { ClientAccount, ClientPlatform } from './client-platform.fixture.ts';
import { clientPrograms, freshFolder, javaStarted, javaTool, runUntil, virtualEnvironment } from './client-programs.fixture.ts';

const program = (name: string): string => join(import.meta.dirname, 'programs', name);
const timeout = 8 * PATIENCE_MS;
/**
 * Number of messages: 60 of each compression, and a large message.
 * Browsing can return all of them, even if one partition holds them all.
 */
const MESSAGES = 301;

/** Returns the environment that the programs in `programs` read. */
const environmentOf = (own: ClientAccount): NodeJS.ProcessEnv => {
  const { topic, groupPrefix } = factsOf(own, 'read');
  const { bootstrapServers = [], securityProtocol } = own.account.connection ?? {};
  return {
    ...own.env,
    TOPIC: topic,
    GROUP: `${groupPrefix}features`,
    BOOTSTRAP_SERVERS: bootstrapServers.join(','),
    SECURITY_PROTOCOL: securityProtocol,
  };
};
const writes = ['none ok', 'gzip ok', 'snappy ok', 'lz4 ok', 'zstd ok', 'large ok'];

export const featureAccounts = ['features', 'javafeatures', 'kafkapython', 'tools'] as const;
export interface FeatureOptions {
  /** Accounts of `featureAccounts` are there. */
  readonly platform: () => ClientPlatform;
  /** Output of a client that asks for the newer group protocol. */
  readonly newerGroups: Readonly<Record<'java' | 'librdkafka', RegExp>>;
  /** Output of a client that asks for transactions: Java's client and librdkafka. */
  readonly transactions: Readonly<Record<'java' | 'librdkafka', RegExp>>;
  /** As for the programs. */
  readonly unfit?: (language: SnippetLanguage) => string | undefined;
}

export function featureSuite({ platform, newerGroups, transactions, unfit = () => undefined }: FeatureOptions): void {
  let folder = '';
  beforeAll(async () => {
    folder = await freshFolder();
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const noPython = clientPrograms.python.missing() !== undefined;
  const noJava = clientPrograms.java.missing() !== undefined;
  const noKcat = (clientPrograms.kcat.missing() ?? unfit('kcat')) !== undefined;
  /** Returns the compressions of the messages on a topic. A compression that nobody can decompress would be missing. */
  const shownIn = async (topic: string): Promise<string[]> => {
    const browse = { topic, from: { at: 'start' }, limit: 500, maxBytes: 32 * 1024 * 1024 } as const;
    const { messages, skipped } = await platform().app.adapters.streaming.browse('development', browse);
    expect(skipped).toEqual([]);
    return [...new Set(messages.map(({ value }) => /^(none|gzip|snappy|lz4|zstd) /.exec(String(value))?.[1] ?? 'other'))].toSorted();
  };
  const codecs = ['gzip', 'lz4', 'none', 'snappy', 'zstd'];

  test.skipIf(noPython)(
    'confluent-kafka: every compression, large batches, committed reads, newer groups, no transactions',
    { timeout },
    async () => {
      const own = platform().accountOf('features');
      const python = await virtualEnvironment('confluent-kafka==2.16.0');
      const { output } = await runUntil({ command: python, words: [program('features.py')] }, { env: environmentOf(own) });
      expect(output.split('\n')).toEqual(
        expect.arrayContaining([
          ...writes,
          'too-large MSG_SIZE_TOO_LARGE',
          `read ${MESSAGES}`,
          expect.stringMatching(newerGroups.librdkafka),
          expect.stringMatching(transactions.librdkafka),
        ]),
      );
      expect(await shownIn(factsOf(own, 'read').topic)).toEqual(expect.arrayContaining(codecs));
    },
  );

  test.skipIf(noJava)("Kafka's own client: the same, and the newer groups", { timeout }, async () => {
    const own = platform().accountOf('javafeatures');
    const { output } = await runUntil(javaStarted(program('Features.java')), { env: environmentOf(own) });
    expect(output.split('\n')).toEqual(
      expect.arrayContaining([
        ...writes,
        'too-large RecordTooLargeException',
        `read ${MESSAGES}`,
        expect.stringMatching(newerGroups.java),
        expect.stringMatching(transactions.java),
      ]),
    );
    expect(await shownIn(factsOf(own, 'read').topic)).toEqual(expect.arrayContaining(codecs));
  });

  test.skipIf(noPython)('kafka-python writes and reads, and is refused', { timeout }, async () => {
    const own = platform().accountOf('kafkapython');
    const started = { command: await virtualEnvironment('kafka-python==3.0.12'), words: [program('kafka_python.py')] };
    const env = environmentOf(own);
    expect((await runUntil(started, { env })).output).toBe('written\nread\n');
    const refused = await runUntil(started, { env: { ...env, ...platform().stranger.env } });
    expect(refused.code).toBe(1);
    expect(refused.output).toContain('TopicAuthorizationFailed');
    const foreign = { ...environmentOf(platform().stranger), GROUP: env['GROUP'] };
    expect((await runUntil(started, { env: foreign, shown: /GroupAuthorizationFailed/ })).output).toContain('written');
  });

  /** A folder with the files as the page gives them. */
  const fileFacts = (own: ClientAccount): ConnectionFacts => {
    const facts = connectionFacts(own.account);
    if (!facts) throw new Error('The account has no connection');
    return facts;
  };

  test.skipIf(noJava)("client.properties: Kafka's own tools write and read", { timeout }, async () => {
    const own = platform().accountOf('tools');
    const cwd = await freshFolder(folder);
    await writeFile(join(cwd, 'client.properties'), connectionFileOf('client.properties', fileFacts(own)));
    const { topic, groupPrefix, bootstrapServers } = factsOf(own, 'read');
    const common = ['--bootstrap-server', bootstrapServers.join(','), '--command-config', 'client.properties'];
    await writeFile(join(cwd, 'lines'), 'of a tool\n');
    const writer = javaTool('org.apache.kafka.tools.ConsoleProducer', [...common, '--topic', topic]);
    const fed = { command: 'bash', words: ['-c', '"$@" < lines', 'bash', writer.command, ...writer.words] };
    expect(await runUntil(fed, { env: own.env, cwd })).toMatchObject({ code: 0 });
    const readWords = [...common, '--topic', topic, '--group', `${groupPrefix}tools`, '--from-beginning', '--max-messages', '1'];
    const reader = javaTool('org.apache.kafka.tools.consumer.ConsoleConsumer', readWords);
    expect((await runUntil(reader, { env: own.env, cwd })).output).toContain('of a tool');
    const groups = javaTool('org.apache.kafka.tools.consumer.group.ConsumerGroupCommand', [
      ...common,
      '--describe',
      '--group',
      `${groupPrefix}tools`,
    ]);
    expect((await runUntil(groups, { env: own.env, cwd })).output).toContain(topic);
  });

  test.skipIf(noKcat)('librdkafka.config: made by its command, for its owner alone, and kcat reads it', { timeout }, async () => {
    const own = platform().accountOf('tools');
    const cwd = await freshFolder(folder);
    const command = { command: 'bash', words: ['-c', connectionFileOf('librdkafka.config', fileFacts(own))] };
    const { code, output } = await runUntil(command, { env: own.env, cwd });
    expect([code, output]).toEqual([0, expect.stringContaining(`topic "${factsOf(own, 'read').topic}" with`)]);
    expect((await stat(join(cwd, 'librdkafka.config'))).mode & 0o777).toBe(0o600);
  });
}
