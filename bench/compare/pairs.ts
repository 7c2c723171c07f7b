/**
 * Two checkouts side by side: both are measured in every round, in turns first, and medians are compared. Single times on a shared
 * machine say nothing.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** How often something was done, and what it took: milliseconds by the clock, and of the processors by everything that took part. */
export interface Sample {
  readonly what: string;
  readonly ms: number;
  readonly processorMs: number;
}

export interface BenchOptions {
  /** Another checkout, prepared by its own `npm run prestart`. */
  readonly against?: string | undefined;
  readonly rounds: number;
}

/** Share of the "before" median by which the new median may exceed it. */
const mostMore = 0.1;

const own = resolve(import.meta.dirname, '../..');

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
};

const percent = (before: number, now: number): string =>
  `${now >= before ? '+' : ''}${Math.round((now / Math.max(1, before) - 1) * 100)} %`;

/** `measure` is given the root of a checkout. Prints a table and a line; exit code 1 when something takes more than 10 % longer than there. */
export const comparePairs = async (
  name: string,
  { against, rounds }: Required<BenchOptions>,
  measure: (root: string) => Promise<readonly Sample[]>,
): Promise<void> => {
  const other = resolve(against ?? '');
  if (!existsSync(join(other, 'packages/server/src/start.ts'))) throw new Error(`${other} is no checkout of Slipway`);
  const samples = new Map<string, Sample[]>([
    [other, []],
    [own, []],
  ]);
  // The first start of a checkout compiles its code; that is another matter.
  for (const root of samples.keys()) await measure(root);
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? [other, own] : [own, other];
    for (const root of order) samples.get(root)?.push(...(await measure(root)));
    console.log(`round ${round + 1} of ${rounds}`);
  }
  const of = (root: string, what: string, figure: 'ms' | 'processorMs'): number =>
    Math.round(median((samples.get(root) ?? []).filter((sample) => sample.what === what).map((sample) => sample[figure])));
  const rows = [...new Set(samples.get(own)?.map(({ what }) => what))].map((what) => ({
    what,
    before: of(other, what, 'ms'),
    now: of(own, what, 'ms'),
    processorBefore: of(other, what, 'processorMs'),
    processorNow: of(own, what, 'processorMs'),
  }));
  console.table(
    rows.map(({ what, before, now, processorBefore, processorNow }) => ({
      what,
      'before (ms)': before,
      'now (ms)': now,
      change: percent(before, now),
      'processors before (ms)': processorBefore,
      'now (ms) ': processorNow,
      'change ': percent(processorBefore, processorNow),
    })),
  );
  console.log(
    `${name} (medians of ${rounds}): ${rows.map(({ what, before, now }) => `${what} ${now} ms, ${percent(before, now)}`).join('; ')}`,
  );
  if (rows.some(({ before, now }) => now > before * (1 + mostMore))) process.exitCode = 1;
};
