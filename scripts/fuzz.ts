/**
 * Fuzzes the program by its own description, as a stranger, as a member of one team, and as an administrator: `npm run fuzz -- --requests 3000 --minutes 10`.
 * It starts a server of its own. Fails on a 5xx, on an answer that the description does not allow, on an error in the server's log, and when
 * the server ends. Without Python or the package index it says so, and passes.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildConsole } from './build-console.ts';
import { startTarget } from './fuzz-target.ts';
import { fuzz, installTool, operationCount, type Outcome } from './fuzz-tool.ts';

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '3000' }, minutes: { type: 'string', default: '600' } },
});
const numberOf = (name: 'requests' | 'minutes'): number => {
  const value = Number(values[name]);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`--${name} takes a number`);
  return value;
};
const [requests, minutes] = [numberOf('requests'), numberOf('minutes')];

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const table = (outcomes: readonly Outcome[]): void => {
  const line = (...cells: readonly (string | number)[]) => say(cells.map((cell) => String(cell).padEnd(15)).join(''));
  line('as', 'operations', 'requests', 'failures', 'tool errors');
  for (const { role, operations, cases, failures, toolErrors } of outcomes)
    line(
      role,
      operations,
      cases,
      failures.reduce((sum, { count }) => sum + count, 0),
      toolErrors,
    );
  for (const { role, failures } of outcomes)
    for (const { title, count, operations } of failures) say(`${role}: ${title} (${count}) at ${operations.join(', ')}`);
};

/** True when nothing is wrong. */
const run = async (): Promise<boolean> => {
  const work = mkdtempSync(join(tmpdir(), 'slipway-fuzz-work-'));
  const target = await startTarget();
  try {
    const { roles, url } = target;
    const casesEach = (role: (typeof roles)[number]): number => Math.max(1, Math.round(requests / roles.length / operationCount(role)));
    const outcomes = await Promise.all(roles.map((role) => fuzz(url, role, { casesEach: casesEach(role), minutes }, work)));
    const bad = outcomes.filter(({ failures }) => failures.length > 0);
    for (const { output } of bad) say(output);
    const [isAlive, errors] = [target.isAlive(), target.errors()];
    for (const error of errors.slice(0, 20)) say(error);
    table(outcomes);
    say(`errors in the log: ${errors.length}; the server ${isAlive ? 'still runs' : 'ENDED'}`);
    return bad.length === 0 && errors.length === 0 && isAlive;
  } finally {
    await target.close();
    rmSync(work, { recursive: true, force: true });
  }
};

const missing = installTool();
if (missing === undefined) {
  buildConsole();
  process.exitCode = (await run()) ? 0 : 1;
} else say(`\nNO FUZZING: it was skipped. ${missing}\n`);
