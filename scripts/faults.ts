/**
 * Every point of every grid of faults, and every kill of whole programs: `npm run test:faults`. Of each, `npm test` tries a share
 * (testing/fault-share.ts). Names after `--` choose files. The last line counts the tests.
 */
import { finish, inFolder, vitest } from './test-count.ts';

const files = [
  'faults.test',
  'testing/backup.test',
  'testing/outliving.test',
  'testing/replicas.test',
  'testing/rollout-kills.test',
  'testing/storm/',
];
const named = process.argv.slice(2);

await inFolder(async (folder) => finish([await vitest(folder, named.length > 0 ? named : files, { SLIPWAY_TEST_FAULTS: 'all' })]));
