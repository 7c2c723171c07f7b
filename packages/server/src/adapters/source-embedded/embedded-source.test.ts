import { afterEach, describe, expect, test, vi } from 'vitest';
import { sourceSuite } from '#ports/source.suite.ts';
import { SourceOnHttp, commitFiles, git, modes } from './git-client.fixture.ts';

/** Dozens of processes per test: a busy machine takes its time. */
describe.each(modes)('%s', (mode) => {
  sourceSuite(`EmbeddedSource, ${mode}`, async () => {
    const host = await SourceOnHttp.start({ mode });
    return {
      source: host.source,
      owner: 'berth',
      push: async (ref, branch, files) => {
        const folder = await host.clone(ref);
        if (branch !== 'main') await git(folder, 'checkout', '--quiet', '-b', branch);
        const sha = await commitFiles(folder, files);
        await git(folder, 'push', '--quiet', 'origin', branch);
        return sha;
      },
      close: () => host.stop(),
    };
  });
});

describe('without being told', () => {
  afterEach(() => void vi.unstubAllEnvs());

  test.each([
    ['native', process.env.PATH],
    ['js', '/nonexistent'],
  ])('the mode is %s', async (mode, path) => {
    vi.stubEnv('PATH', path);
    const host = await SourceOnHttp.start({});
    try {
      const ref = await host.create('auto');
      const authorization = `Basic ${Buffer.from('ada:reader').toString('base64')}`;
      const url = `http://127.0.0.1:${host.port}/git/${ref.owner}/${ref.name}.git/info/refs?service=git-upload-pack`;
      const answer = await fetch(url, { headers: { authorization } });
      expect(await answer.text()).toContain('refs/heads/main');
      expect(host.logged).toMatchObject([{ message: 'git service ready', context: { mode } }]);
    } finally {
      await host.stop();
    }
  });
});
