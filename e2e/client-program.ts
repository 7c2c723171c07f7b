/** Runs a program that a page shows, as somebody does who copies it: a file of its own, beside the packages that it installs. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Below the packages of the workspace, so that Node finds them. */
const cache = resolve(import.meta.dirname, '../node_modules/.cache');
/** Busy machines take their time; only a failure waits that long. */
const MOST_MS = 90_000;

export interface ProgramEnd {
  readonly code: number | null;
  readonly output: string;
}

/** Until it ends, or has written `shown`; then it is stopped. It gets no more of the environment than `env` and a path. */
export const runShown = async (text: string, env: Readonly<Record<string, string>>, shown?: RegExp): Promise<ProgramEnd> => {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'shown-'));
  const file = join(folder, 'main.mjs');
  writeFileSync(file, text);
  try {
    return await new Promise((done) => {
      const child = spawn(process.execPath, [file], { cwd: folder, env: { PATH: process.env['PATH'], ...env } });
      const stop = (): boolean => child.kill('SIGKILL');
      const timer = setTimeout(stop, MOST_MS);
      let output = '';
      const take = (chunk: Buffer): void => {
        output += chunk.toString();
        if (shown?.test(output)) stop();
      };
      child.stdout.on('data', take);
      child.stderr.on('data', take);
      child.once('close', (code) => {
        clearTimeout(timer);
        done({ code, output });
      });
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
