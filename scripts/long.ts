/**
 * Runs what `npm test` leaves out for the sake of time: `npm run test:long`, with a third of each unchanged grid of faults, or
 * `npm run test:all`, with every fault. Names after `--` choose test files, with every fault. Afterwards every code of the catalogues was met by
 * a test of this run, or of `npm test` before it. Grids that passed as a whole are noted in test-runs/passed-grids.json, which belongs into the
 * next commit. The last line counts the tests.
 */
import { browserTests } from './test-runs/browser-tests.ts';
import { isJourney, longJourneys, longTests } from './test-runs/long-tags.ts';
import { noteReachedCodes, reachedCodes } from './test-runs/reached-codes.ts';
import { notePassed, rotate } from './test-runs/rotation.ts';
import { finish, inFolder, vitest, type Count } from './test-runs/test-count.ts';

const isAll = process.argv[2] === '--all';
const named = process.argv.slice(isAll ? 3 : 2);
const tests = longTests().filter((one) => !isJourney(one));
const files = tests.map(({ file }) => file);
const shared = new Set(tests.filter(({ isShared }) => isShared).map(({ file }) => file));
const { whole, others, third } = isAll ? { whole: files, others: [], third: 'all' } : rotate(files);

await inFolder(async (folder) => {
  const run = (paths: readonly string[], faults: string, env: NodeJS.ProcessEnv = {}): Promise<Count[]> =>
    paths.length === 0 ? Promise.resolve([]) : vitest(folder, paths, { SLIPWAY_TEST_FAULTS: faults, ...env }).then((count) => [count]);
  const runTagged = async (paths: readonly string[], faults: string, env: NodeJS.ProcessEnv): Promise<Count[]> => {
    const { together = [], alone = [] } = Object.groupBy(paths, (path) => (shared.has(path) ? 'together' : 'alone'));
    return [...(await run(together, faults, { ...env, SLIPWAY_TEST_SHARED: 'yes' })), ...(await run(alone, faults, env))];
  };
  const all = async (): Promise<Count[]> => {
    process.stdout.write(`Every fault of ${whole.length} files; the others by ${third}\n${whole.join('\n')}\n`);
    const codes = noteReachedCodes({ isAnew: false });
    const ofWhole = await runTagged(whole, 'all', codes);
    notePassed(whole, ofWhole);
    return [...ofWhole, ...(await runTagged(others, third, codes)), reachedCodes(), await browserTests(folder, ['--grep', longJourneys()])];
  };
  finish(named.length > 0 ? await run(named, 'all') : await all());
});
