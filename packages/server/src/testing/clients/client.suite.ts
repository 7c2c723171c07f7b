/** Checks that every client can write and read with the program that the account page shows, and that it reports a refusal. */
import { rm } from 'node:fs/promises';
import { murmur2 } from '@platformatic/kafka';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { topicMessageList, topicMessageProduce, type TopicMessagePage } from '@slipway/contract/streaming/message.ts';
import { snippetFacts, type SnippetFacts, type SnippetUse } from '@slipway/contract/streaming/snippets/facts.ts';
import { snippetOf, type SnippetLanguage } from '@slipway/contract/streaming/snippets/snippets.ts';
import { PATIENCE_MS } from '#testing/patience.ts';
import { PARTITIONS, place, SAMPLE, type ClientAccount, type ClientPlatform, type ClientSchema } from './client-platform.fixture.ts';
import { clientPrograms, freshFolder, runUntil, type Started } from './client-programs.fixture.ts';

/** `name` is of the account; its topic has values of `schema`. */
export interface ClientCase {
  readonly name: string;
  readonly language: SnippetLanguage;
  readonly schema: ClientSchema;
  /** It encodes values by the topic's schema; others write text. */
  readonly isBySchema: boolean;
}
const caseOf = (name: string, language: SnippetLanguage, schema: ClientSchema = 'visit', isBySchema = false): ClientCase => ({
  name,
  language,
  schema,
  isBySchema,
});
export const clientCases: readonly ClientCase[] = [
  caseOf('node', 'node', 'visit', true),
  caseOf('nodejson', 'node', 'pilotage', true),
  caseOf('kafkajs', 'kafkajs'),
  caseOf('python', 'python', 'visit', true),
  caseOf('pythonjson', 'python', 'pilotage', true),
  caseOf('java', 'java'),
  caseOf('go', 'go'),
  caseOf('kcat', 'kcat'),
];
export const schemasOf = (cases: readonly ClientCase[]): Record<string, ClientSchema> =>
  Object.fromEntries(cases.map(({ name, schema }) => [name, schema]));

export const factsOf = ({ account }: ClientAccount, use: SnippetUse): SnippetFacts => {
  const facts = snippetFacts(account, use, { sample: SAMPLE });
  if (!facts) throw new Error('The account has no topic for this');
  return facts;
};

/** In the words of the clients. */
const refused = {
  topic: /topic.{0,3}authorization|not authorized to access (these )?topics/i,
  group: /group.{0,3}authorization|not authorized to access group/i,
};
const javaPartition = (key: string): number => (murmur2(Buffer.from(key)) & 0x7fff_ffff) % PARTITIONS;
/** However a language prints them. */
const shownBoth = /C03\W+tugs\W+2\b[^]*C03\W+tugs\W+41\b/;

/** Says what this machine cannot run, and skips it. `unfit`: what the engine refuses for a reason of its own. */
export function clientSuite(
  cases: readonly ClientCase[],
  open: () => Promise<ClientPlatform>,
  unfit: (language: SnippetLanguage) => string | undefined = () => undefined,
): void {
  let platform: ClientPlatform;
  let folder = '';
  beforeAll(async () => {
    platform = await open();
    folder = await freshFolder();
  }, 5 * PATIENCE_MS);
  afterAll(async () => {
    if (folder !== '') await rm(folder, { recursive: true, force: true });
    await platform?.app.close();
  });
  const written = async (language: SnippetLanguage, use: SnippetUse, facts: SnippetFacts): Promise<Started> =>
    clientPrograms[language].write(await freshFolder(folder), snippetOf(language, use, facts));
  const messagesOf = async (name: string): Promise<TopicMessagePage['messages']> => {
    const { body } = await platform.app.call('member', topicMessageList, { params: { ...place, topic: `${name}visits` } });
    return (body as TopicMessagePage).messages;
  };

  for (const { name, language, isBySchema } of cases) {
    const missing = clientPrograms[language].missing() ?? unfit(language);
    if (missing !== undefined) process.stdout.write(`SKIPPED: the programs for ${language}: ${missing}\n`);
    const isHere = test.skipIf(missing !== undefined);

    isHere(`${name}: what one writes, the console shows and the other reads`, { timeout: 8 * PATIENCE_MS }, async () => {
      const own = platform.accountOf(name);
      const { code, output } = await runUntil(await written(language, 'write', factsOf(own, 'write')), { env: own.env });
      expect(code, output).toBe(0);
      const messages = await messagesOf(name);
      expect(messages).toMatchObject([{ partition: javaPartition('key'), key: { value: 'key' } }]);
      const reader = await written(language, 'read', factsOf(own, 'read'));
      if (!isBySchema) {
        expect((await runUntil(reader, { env: own.env, shown: /hello/ })).output).toMatch(/key.*hello/);
        return;
      }
      expect(messages).toMatchObject([{ value: { state: 'DECODED', value: SAMPLE } }]);
      // One of the console's own after it.
      const body = { value: { ...SAMPLE, tugs: 41 }, partition: javaPartition('key') };
      await platform.app.call('member', topicMessageProduce, { params: { ...place, topic: `${name}visits` }, body });
      await runUntil(reader, { env: own.env, shown: shownBoth });
    });

    isHere(`${name}: an account without the right is refused, and says so`, { timeout: 8 * PATIENCE_MS }, async () => {
      const { stranger } = platform;
      const foreign = factsOf(platform.accountOf(name), 'read');
      const own = factsOf(stranger, 'read');
      const writer = await written(language, 'write', foreign);
      // Its own group with a topic that is not its own, and the other way round.
      const ofTopic = await written(language, 'read', { ...own, groupPrefix: `${own.groupPrefix}${name}.`, topic: foreign.topic });
      const ofGroup = await written(language, 'read', { ...own, groupPrefix: foreign.groupPrefix });
      const [ended] = await Promise.all([
        runUntil(writer, { env: stranger.env }),
        runUntil(ofTopic, { env: stranger.env, shown: refused.topic }),
        runUntil(ofGroup, { env: stranger.env, shown: refused.group }),
      ]);
      expect(ended.output).toMatch(refused.topic);
      expect(ended.code).not.toBe(0);
    });
  }
}
