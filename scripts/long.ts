/**
 * Runs what `npm test` leaves out for the sake of time: `npm run test:long`, with a third of each unchanged grid of faults, or
 * `npm run test:all`, with every fault. Names after `--` choose test files, with every fault. Afterwards every code of the catalogues was met by
 * a test of this run, or of `npm test` before it. The last line counts the tests.
 */
import { browserTests } from './test-runs/browser-tests.ts';
import { longJourneys, longTests, sharedTests } from './test-runs/long-tests.ts';
import { noteReachedCodes, reachedCodes } from './test-runs/reached-codes.ts';
import { rotate } from './test-runs/rotation.ts';
import { finish, inFolder, vitest, type Count } from './test-runs/test-count.ts';

const isAll = process.argv[2] === '--all';
const named = process.argv.slice(isAll ? 3 : 2);
const files = [...longTests, ...sharedTests];
const { whole, others, third } = isAll ? { whole: files, others: [], third: 'all' } : rotate(files);

await inFolder(async (folder) => {
  const run = (paths: readonly string[], faults: string, env: NodeJS.ProcessEnv = {}): Promise<Count[]> =>
    paths.length === 0 ? Promise.resolve([]) : vitest(folder, paths, { SLIPWAY_TEST_FAULTS: faults, ...env }).then((count) => [count]);
  const all = async (): Promise<Count[]> => {
    process.stdout.write(`Every fault of ${whole.length} files; the others by ${third}\n${whole.join('\n')}\n`);
    const codes = noteReachedCodes({ isAnew: false });
    return [
      ...(await run(whole, 'all', codes)),
      ...(await run(others, third, codes)),
      reachedCodes(),
      await browserTests(folder, ['--grep', longJourneys]),
    ];
  };
  finish(named.length > 0 ? await run(named, 'all') : await all());
});
