/** A server process that tests may kill, and a wait helper. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PATIENCE_MS } from '@slipway/foundation/testing/patience.ts';
import { detectSandbox } from './detect-sandbox.ts';
import { hostUid } from './host-uid.ts';
import type { Sandbox, SandboxTier } from './sandbox.ts';
import { listing, NUMBERS, staticProgram } from './static-program.fixture.ts';

/** Tries each tier. Returns those that work on this machine, and the names of the others, which a test must report as skipped. */
export async function tiersOf(
  tiers: readonly SandboxTier[],
): Promise<{ readonly offered: readonly { tier: SandboxTier; sandbox: Sandbox }[]; readonly missing: readonly SandboxTier[] }> {
  const offered: { tier: SandboxTier; sandbox: Sandbox }[] = [];
  for (const tier of tiers) {
    const sandbox = await detectSandbox({ only: tier }).catch(() => undefined);
    if (sandbox) offered.push({ tier, sandbox });
  }
  return { offered, missing: tiers.filter((tier) => !offered.some((one) => one.tier === tier)) };
}

/** Starts a process that runs a sandboxed program forever. Resolves when the program is up. */
export async function leaderOf(tier: SandboxTier, rootfs: string): Promise<{ readonly pid: number }> {
  const holder = spawn(process.execPath, [fileURLToPath(new URL('./sandbox.holder.ts', import.meta.url)), tier, rootfs], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve, reject) => {
    holder.stdout.once('data', resolve);
    holder.once('exit', () => reject(new Error('The holder ended early.')));
  });
  return { pid: holder.pid! };
}

export async function until(what: string, look: () => boolean, timeoutMs = PATIENCE_MS): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!look()) {
    if (performance.now() > deadline) throw new Error(`Waited without success for ${what}`);
    await delay(10);
  }
}

/**
 * Lists the names that a static program sees in its working directory: one directory of the image and some links out of it. A dynamic
 * program would fail earlier, because its loader is missing there.
 */
export async function listedBy(sandbox: Sandbox, rootfs: string): Promise<Readonly<Record<string, string>>> {
  const program = join(rootfs, 'app/lister');
  if (!existsSync(program)) writeFileSync(program, staticProgram([...listing('.'), [NUMBERS.exit, 0]]), { mode: 0o755 });
  const seen: Record<string, string> = {};
  for (const cwd of ['/app', '/proc/1/root', '/proc/1/cwd', '/proc/3/cwd']) {
    const id = `lister-${process.pid}-${cwd.replaceAll(/\W/g, '-')}`;
    try {
      const running = sandbox.spawn({ id, rootfs, binds: [], command: ['/app/lister'], cwd, env: {}, uid: hostUid('lister') });
      const output: Buffer[] = [];
      running.child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
      running.child.stderr.resume();
      const closed = once(running.child, 'close');
      await running.exited;
      await closed;
      const text = Buffer.concat(output).toString('latin1');
      seen[cwd] = ['lister', 'launch', 'usr'].filter((name) => text.includes(name)).join(' ');
    } catch (error) {
      seen[cwd] = error instanceof Error ? error.name : String(error);
    }
  }
  return seen;
}

export const OWN_DIRECTORY_ALONE = {
  '/app': 'lister',
  '/proc/1/root': 'DirectoryRefusal',
  '/proc/1/cwd': 'DirectoryRefusal',
  '/proc/3/cwd': 'DirectoryRefusal',
};
