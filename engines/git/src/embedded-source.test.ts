import { sourceSuite } from '@slipway/foundation/ports/source.suite.ts';
import { SourceOnHttp, commitFiles, git } from './git-client.fixture.ts';

sourceSuite('EmbeddedSource', async () => {
  const host = await SourceOnHttp.start({});
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
