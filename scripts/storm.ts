/**
 * Kills the program, part by part, while all kinds of writes go on, and checks after each kill that nothing was lost, doubled or left over:
 * `npm run test:storm -- 300`. `--seed` repeats what was chosen in a run. Needs Linux; says so and passes elsewhere.
 */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { removeData } from '../packages/server/src/testing/program.ts';
import { killKinds } from '../packages/server/src/testing/storm/kills.ts';
import { storm, type StormResult } from '../packages/server/src/testing/storm/storm.ts';
import { buildConsole } from './build-console.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, port: { type: 'string', default: '4900' } },
});
const numberOf = (name: string, text: string): number => {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`${name} takes a number`);
  return value;
};
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const seconds = (milliseconds: readonly number[], at: (sorted: readonly number[]) => number | undefined): string => {
  const sorted = milliseconds.toSorted((left, right) => left - right);
  return ((at(sorted) ?? 0) / 1000).toFixed(1);
};
const median = (sorted: readonly number[]): number | undefined => sorted[Math.floor(sorted.length / 2)];
const highest = (sorted: readonly number[]): number | undefined => sorted.at(-1);

/** Seconds: median and highest. */
const table = ({ kills, journal }: StormResult): void => {
  const line = (...cells: readonly (string | number)[]) => say(cells.map((cell) => String(cell).padEnd(18)).join(''));
  line('killed', 'kills', 'acknowledged', 'unanswered', 'until ready', 'until served');
  for (const kind of killKinds) {
    const of = kills.filter((kill) => kill.kind === kind);
    const [ready, served] = [of.map(({ readyMs }) => readyMs), of.map(({ servedMs }) => servedMs)];
    const sum = (name: 'acknowledged' | 'unanswered') => of.reduce((total, kill) => total + kill[name], 0);
    const spread = (times: readonly number[]) => `${seconds(times, median)} / ${seconds(times, highest)} s`;
    line(kind, of.length, sum('acknowledged'), sum('unanswered'), spread(ready), spread(served));
  }
  say('');
  line('write', 'acknowledged', 'unanswered', 'refused', 'repeated');
  for (const [kind, entries] of Map.groupBy(journal.entries, (entry) => entry.kind)) {
    const count = (fate: string) => entries.filter((entry) => entry.fate === fate).length;
    const repeated = entries.filter(({ isRepeated }) => isRepeated === true).length;
    line(kind, count('acknowledged'), count('unanswered'), count('refused'), repeated);
  }
};

const report = (result: StormResult, workDir: string, seed: number): void => {
  const { journal, kills, rounds, violations } = result;
  say('');
  table(result);
  say(`\npipelines: ${result.outcomes.join(', ')}`);
  for (const violation of violations) {
    say(`\nVIOLATION in round ${rounds}: ${violation}`);
    for (const entry of journal.linesAbout(violation)) say(`  ${entry}`);
  }
  if (violations.length > 0) say(`\nEverything is kept in ${workDir}; the seed was ${seed}`);
  say(
    `${rounds} rounds, ${kills.length} kills, ${journal.entries.filter(({ fate }) => fate === 'acknowledged').length} acknowledged writes, ${violations.length} violations`,
  );
};

const run = async (): Promise<boolean> => {
  const rounds = numberOf('rounds', positionals[0] ?? '20');
  const seed = values.seed === undefined ? Date.now() % 1_000_000 : numberOf('--seed', values.seed);
  const port = numberOf('--port', values.port);
  const workDir = mkdtempSync(join(tmpdir(), 'slipway-storm-'));
  const dataDir = join(workDir, 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  say(`${rounds} rounds with the seed ${seed} in ${workDir}`);
  const kafkaPorts = [port + 2, port + 3] as const;
  const place = { dataDir, workDir, port, ingressPort: port + 1, kafkaPorts, prefix: `storm${seed.toString(36)}` };
  const result = await storm({ rounds, seed, place, say });
  report(result, workDir, seed);
  if (result.violations.length > 0) return false;
  await removeData(dataDir);
  await rm(workDir, { recursive: true, force: true });
  return true;
};

if (process.platform === 'linux') {
  buildConsole();
  // Lanes that wait for the next round are left where they are.
  process.exit((await run()) ? 0 : 1);
} else say('\nNO STORM: it was skipped. It needs the process table of Linux.\n');
