/** Test program: a server that was started with an open file too many, and a program in its sandbox that lists its own. Arguments: tier, root. */
import { detectSandbox } from '@slipway/runtime/sandbox/detect-sandbox.ts';
import type { SandboxTier } from '@slipway/runtime/sandbox/sandbox.ts';

const [tier, rootfs = ''] = process.argv.slice(2);
const sandbox = await detectSandbox({ only: tier as SandboxTier });
const source = `const fs = require('fs');
  for (const name of fs.readdirSync('/proc/self/fd')) try { console.log(name, fs.readlinkSync('/proc/self/fd/' + name)); } catch {}`;
const running = sandbox.spawn({
  id: `descriptor-${process.pid}`,
  rootfs,
  binds: [],
  command: ['/usr/local/bin/node', '-e', source],
  cwd: '/app',
  env: {},
  uid: 222_222,
});
running.child.stdout.pipe(process.stdout);
running.child.stderr.pipe(process.stderr);
await running.exited;
