// @long: starts, ends and kills programs
/** The programs of an account that need Node alone, run as they stand against the embedded broker; those of other languages are run by `npm run test:engines -- clients`. */
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { connectionFileNames, connectionFileOf } from '@slipway/contract/streaming/snippets/connection-files.ts';
import { connectionFacts } from '@slipway/contract/streaming/snippets/facts.ts';
import { snippetLanguages, snippetOf } from '@slipway/contract/streaming/snippets/snippets.ts';
import { clientCases, clientSuite, factsOf, schemasOf } from './client.suite.ts';
import { openClientPlatform, type ClientPlatform } from './client-platform.fixture.ts';

const cases = clientCases.filter(({ language }) => language === 'node' || language === 'kafkajs');
let platform: ClientPlatform;
describe('on the embedded broker', () => {
  clientSuite(cases, async () => (platform = await openClientPlatform(schemasOf(cases))));

  test('what the terminal asks for is in the environment afterwards, and the password was not echoed', async () => {
    const { account, env } = platform.accountOf('node');
    const facts = connectionFacts(account);
    const text = facts && connectionFileOf('terminal', facts);
    const script = `${text}printf '%s %s' "$KAFKA_USERNAME" "$(node -p process.env.KAFKA_PASSWORD.length)"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', script], { input: `${env['KAFKA_PASSWORD']}\n`, encoding: 'utf8' });
    expect([stdout, stderr]).toEqual([`${account.user} 43`, '']);
  });

  test('no program and no file holds the password, and all take it from the environment', () => {
    const { account, env } = platform.accountOf('node');
    const connection = connectionFacts(account);
    if (!connection) throw new Error('The account has no connection');
    const texts = [
      ...snippetLanguages.flatMap((language) =>
        (['read', 'write'] as const).map((use) => snippetOf(language, use, factsOf({ account, env }, use))),
      ),
      ...connectionFileNames.map((name) => connectionFileOf(name, connection)),
    ];
    for (const text of texts) {
      expect(text).not.toContain(env['KAFKA_PASSWORD']);
      expect(text).toContain('KAFKA_PASSWORD');
      expect(text).toContain('KAFKA_USERNAME');
    }
  });
});
