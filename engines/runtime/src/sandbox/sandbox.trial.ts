/** Test program: tries every tier as its user and prints the results as JSON. Argument: root file system. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { detectSandbox } from './detect-sandbox.ts';
import { listedBy } from './sandbox.fixture.ts';

const directory = mkdtempSync(join(tmpdir(), 'slipway-trial-'));
const rootfs = join(directory, 'rootfs');
// The image must belong to the user, since mount points are created on first use.
cpSync(process.argv[2] ?? '', rootfs, { recursive: true });

const results: Record<string, unknown> = {};
for (const tier of ['oci', 'unshare', 'bubblewrap', 'host'] as const) {
  const sandbox = await detectSandbox({ only: tier }).catch(() => undefined);
  if (!sandbox) {
    results[tier] = 'absent';
    continue;
  }
  const source = 'process.on("SIGTERM", () => process.exit(0)); console.log(process.getuid()); setInterval(() => {}, 1000)';
  const running = sandbox.spawn({
    id: `trial-${process.pid}`,
    rootfs,
    binds: [],
    command: ['/usr/local/bin/node', '-e', source],
    cwd: '/app',
    env: {},
    uid: 1,
  });
  const uid = await new Promise((resolve) => running.child.stdout.once('data', (chunk) => resolve(String(chunk).trim())));
  const { code: exec, output } = await running.exec(['/usr/local/bin/node', '-e', 'process.exit(5)'], 5000);
  if (exec !== 5) console.error(output);
  running.signal('SIGTERM');
  results[tier] = { ...(await running.exited), uid, exec, seen: tier === 'host' ? undefined : await listedBy(sandbox, rootfs) };
}
console.log(JSON.stringify(results));
rmSync(directory, { recursive: true, force: true });
