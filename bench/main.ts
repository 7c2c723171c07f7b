/**
 * `npm run bench -- <name>`: runs one bench, which prints a table and, last, one line of figures. Without a name it lists them.
 * `--against <checkout>` measures another checkout beside this one, in `--rounds` (5) rounds, where the bench can do so.
 */
import { readdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { BenchOptions } from './compare/pairs.ts';

interface Bench {
  run(options: BenchOptions): Promise<void>;
}
const comparing: readonly string[] = ['quickstart', 'start'];
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && !['main.ts', 'platform.ts'].includes(file) && !file.endsWith('.test.ts'))
  .map((file) => file.replace(/\.ts$/, ''));

const { positionals, values } = parseArgs({
  allowPositionals: true,
  // A bench may have options of its own.
  strict: false,
  options: { against: { type: 'string' }, rounds: { type: 'string', default: '5' } },
});
const [name] = positionals;
const against = typeof values.against === 'string' ? values.against : undefined;
const rounds = Number(values.rounds);
const refusal = !(rounds >= 1)
  ? '--rounds is a number from 1 on'
  : against !== undefined && !comparing.includes(name ?? '')
    ? `--against: only ${comparing.join(' and ')} compare two checkouts`
    : undefined;
if (!name || !names.includes(name)) {
  process.stdout.write(`Benches: ${names.join(', ')}\n`);
  process.exitCode = name ? 1 : 0;
} else if (refusal) {
  process.stderr.write(`${refusal}\n`);
  process.exitCode = 1;
} else {
  const bench = (await import(`./${name}.ts`)) as Bench;
  await bench.run({ against, rounds });
  process.exit(process.exitCode ?? 0);
}
