/** Runs programs of tests and counts what they report: for `npm test` and `npm run test:faults`, whose last lines say it. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Count {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}
export const none: Count = { passed: 0, failed: 0, skipped: 0 };
export const one = (isGood: boolean): Count => (isGood ? { ...none, passed: 1 } : { ...none, failed: 1 });

export const run = (command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<number> =>
  new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, ...env } });
    child.once('error', () => resolve(1));
    child.once('close', (code) => resolve(code ?? 1));
  });

/** Where a runner died before it wrote its report, that counts as one failure. */
export const counted = <Report>(file: string, code: number, read: (report: Report) => Count): Count => {
  try {
    const count = read(JSON.parse(readFileSync(file, 'utf8')) as Report);
    return code !== 0 && count.failed === 0 ? { ...count, failed: 1 } : count;
  } catch {
    return one(false);
  }
};

interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
}
export const vitest = async (folder: string, files: readonly string[], env: NodeJS.ProcessEnv): Promise<Count> => {
  const report = join(folder, 'vitest.json');
  const args = ['run', ...files, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const code = await run('node_modules/.bin/vitest', args, env);
  return counted<VitestReport>(report, code, (json) => ({
    passed: json.numPassedTests,
    failed: json.numFailedTests,
    skipped: json.numPendingTests + json.numTodoTests,
  }));
};

/** For reports; gone when `work` ends. */
export const inFolder = async <Result>(work: (folder: string) => Promise<Result>): Promise<Result> => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-test-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** The last line, and the exit code. */
export const finish = (counts: readonly Count[]): void => {
  const sum = (name: keyof Count): number => counts.reduce((total, count) => total + count[name], 0);
  process.exitCode = sum('failed') === 0 ? 0 : 1;
  process.stdout.write(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped\n`);
};
