/** Clients that other people's generators make from the platform's description do the main job, if `npm run test:engines -- api-clients` runs this. */
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testApp, type TestApp } from '../app.ts';
import { freshFolder, runUntil } from '../clients/client-programs.fixture.ts';
import { PATIENCE_MS } from '#testing/patience.ts';
import { generators } from './api-generators.fixture.ts';

const suite = (): void => {
  let app: TestApp;
  let description = '';
  let folder = '';
  beforeAll(async () => {
    app = await testApp();
    description = await (await fetch(`${app.url}/openapi.json`)).text();
    // Node runs no TypeScript below node_modules.
    folder = await freshFolder(tmpdir());
  });
  afterAll(async () => {
    if (folder !== '') await rm(folder, { recursive: true, force: true });
    await app?.close();
  });

  for (const [name, generator] of Object.entries(generators)) {
    const missing = generator.missing();
    if (missing !== undefined) process.stdout.write(`SKIPPED: ${name}: ${missing}\n`);

    test.skipIf(missing !== undefined)(`${name}: the client compiles and does the main job`, { timeout: 12 * PATIENCE_MS }, async () => {
      const own = await freshFolder(folder);
      await writeFile(join(own, 'openapi.json'), description);
      const started = await generator.build(own);
      const env = { SLIPWAY_URL: app.url, SLIPWAY_TOKEN: await app.apiToken('member', ['write']), NAME: generator.app };
      const { code, output } = await runUntil(started, { env, cwd: own });
      expect(code, output).toBe(0);
      const lines = output.trimEnd().split('\n');
      const [, url = ''] = /^service HEALTHY (http\S+)$/m.exec(output) ?? [];
      expect(lines).toEqual([
        'team COMPLETED',
        'app COMPLETED',
        `service HEALTHY ${url}`,
        `apps ${generator.app}`,
        expect.stringMatching(/^plan( [\w-]+)+$/),
        'group client-secrets',
        'refused 409 name SecretGroupAlreadyExists',
      ]);
      expect((await app.get(`${url}healthz`)).status).toBe(200);
    });
  }
};
// Nothing is looked for on the machine where nobody asked.
if (process.env['TEST_CLIENTS_TOOLS'] === undefined) test.skip('run by: npm run test:engines -- api-clients');
else describe('generated clients', suite);
