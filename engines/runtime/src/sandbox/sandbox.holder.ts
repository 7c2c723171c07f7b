/** Test program: a server with one sandboxed program and a grandchild, to be killed by the test. Arguments: tier, root file system. */
import { detectSandbox } from './detect-sandbox.ts';
import type { SandboxTier } from './sandbox.ts';

const [tier, rootfs = ''] = process.argv.slice(2);
const sandbox = await detectSandbox({ only: tier as SandboxTier });
const source =
  'require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]); console.log("up"); setInterval(() => {}, 1000)';
const running = sandbox.spawn({
  id: `holder-${process.pid}`,
  rootfs,
  binds: [],
  command: ['/usr/local/bin/node', '-e', source],
  cwd: '/app',
  env: {},
  uid: 222_222,
});
running.child.stdout.pipe(process.stdout);
running.child.stderr.pipe(process.stderr);
