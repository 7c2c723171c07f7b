/** A server process that tests may kill, and waiting. */
import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PATIENCE_MS } from '#testing/patience.ts';
import type { SandboxTier } from './sandbox.ts';

/** A process that runs a sandboxed program forever, once the program is up. */
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
