import { describe } from 'vitest';
import { sourceSuite } from '#ports/source.suite.ts';
import { SourceOnHttp, commitFiles, git, modes } from './git-client.fixture.ts';

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
