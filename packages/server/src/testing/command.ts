/** The command `slipway` as a program of its own, as an operator runs it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

const entry = resolve(import.meta.dirname, '../slipway.ts');
export const backupPassphrase = 'correct horse battery staple';

export interface CommandRun {
  readonly code: number | null;
  readonly output: string;
}

/** Nothing of this process's environment is inherited. */
export async function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  onStart?: (child: ChildProcess) => Promise<void>,
): Promise<CommandRun> {
  const child = spawn(process.execPath, [entry, ...args], {
    env: { PATH: process.env['PATH'], SLIPWAY_BACKUP_PASSPHRASE: backupPassphrase, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const closed = once(child, 'close') as Promise<[number | null]>;
  await onStart?.(child);
  const [code] = await closed;
  return { code, output };
}
