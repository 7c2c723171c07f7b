/** Runs programs of tests and counts what they report: for `npm test` and `npm run test:long`, whose last lines say it. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

export interface Count {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Describes each failure. The end of the output repeats the descriptions, because readers of a long log start there. */
  readonly failures?: readonly string[];
}
export const none: Count = { passed: 0, failed: 0, skipped: 0 };
export const one = (isGood: boolean, name: string): Count => (isGood ? { ...none, passed: 1 } : { ...none, failed: 1, failures: [name] });

export const run = (command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<number> =>
  new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, ...env } });
    child.once('error', () => resolve(1));
    child.once('close', (code) => resolve(code ?? 1));
  });

/** Reads a runner's report. Counts one failure if the runner left no report, or if it failed although none of its tests did. */
export const counted = <Report>(runner: string, file: string, code: number, read: (report: Report) => Count): Count => {
  try {
    const count = read(JSON.parse(readFileSync(file, 'utf8')) as Report);
    return code !== 0 && count.failed === 0 ? { ...count, failed: 1, failures: [`${runner} ended with ${code}`] } : count;
  } catch {
    return one(false, `${runner} left no report`);
  }
};

interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
      /** Milliseconds. Tests that did not run have none. */
      readonly duration?: number | null;
    }[];
  }[];
}
const firstLine = ([message = '']: readonly string[]): string => stripVTControlCharacters(message).split('\n', 1)[0]?.slice(0, 300) ?? '';

/** A file that cannot be loaded has no tests, and is said by itself. */
const failuresOf = ({ testResults }: VitestReport): string[] =>
  testResults.flatMap(({ name, status, assertionResults }) => {
    const failed = assertionResults.filter((result) => result.status === 'failed');
    const file = relative(process.cwd(), name);
    return failed.length === 0 && status === 'failed'
      ? [file]
      : failed.map((result) => `${file}: ${result.fullName}: ${firstLine(result.failureMessages)}`);
  });

const SLOWEST = 20;
/** Lists the tests that took longest, with seconds, so that a test that waits longer than it must is seen. */
const slowestOf = ({ testResults }: VitestReport): string[] =>
  testResults
    .flatMap(({ name, assertionResults }) =>
      assertionResults.map(({ fullName, duration }) => ({
        name: `${relative(process.cwd(), name)}: ${fullName}`,
        duration: duration ?? 0,
      })),
    )
    .toSorted((left, right) => right.duration - left.duration)
    .slice(0, SLOWEST)
    .map(({ name, duration }) => `${(duration / 1000).toFixed(1).padStart(6)} s  ${name}`);

/** Runs test files. `command` returns the words that start vitest with these arguments, for a run that something has to prepare. */
export const vitest = async (
  folder: string,
  files: readonly string[],
  env: NodeJS.ProcessEnv,
  command = (args: readonly string[]): readonly string[] => ['node_modules/.bin/vitest', ...args],
): Promise<Count> => {
  const report = join(folder, 'vitest.json');
  const [program = '', ...args] = command(['run', ...files, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]);
  const code = await run(program, args, env);
  return counted<VitestReport>('vitest', report, code, (json) => {
    process.stdout.write(`\nThe slowest tests:\n${slowestOf(json).join('\n')}\n\n`);
    return {
      passed: json.numPassedTests,
      failed: json.numFailedTests,
      skipped: json.numPendingTests + json.numTodoTests,
      failures: failuresOf(json),
    };
  });
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

/** The last lines, and the exit code. */
export const finish = (counts: readonly Count[]): void => {
  for (const failure of counts.flatMap(({ failures = [] }) => failures)) process.stdout.write(`failed: ${failure}\n`);
  const sum = (name: 'passed' | 'failed' | 'skipped'): number => counts.reduce((total, count) => total + count[name], 0);
  process.exitCode = sum('failed') === 0 ? 0 : 1;
  process.stdout.write(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped\n`);
};
