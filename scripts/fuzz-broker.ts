/** Sends the embedded Kafka broker record batches that no client makes: `npm run fuzz:broker -- --minutes 10 --seed 7`. A seed repeats a run. */
import { parseArgs } from 'node:util';
import { finish, inFolder, vitest } from './test-runs/test-count.ts';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string' } } });
const seed = values.seed ?? String(Date.now() % 1_000_000);
process.stdout.write(`the seed is ${seed}\n`);
const environment = { SLIPWAY_FUZZ_SECONDS: String(Number(values.minutes) * 60), SLIPWAY_FUZZ_SEED: seed };
finish([await inFolder((folder) => vitest(folder, ['src/testing/streaming/batch-fuzz.test.ts'], environment))]);
