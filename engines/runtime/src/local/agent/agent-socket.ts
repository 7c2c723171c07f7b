/** Path of the socket between server and node agent: in the data directory, unless that path is too long for a socket. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { temporaryDirectory } from '../../sandbox/temporary-directory.ts';

/** macOS allows 103 bytes, Linux 107. */
const MAX_BYTES = 103;

/** Returns the same path for all servers that share a data directory, so that whichever drives the runtime finds the agent. */
export function agentSocket(dataDir: string): string {
  const wanted = join(dataDir, 'runtime', 'agent.sock');
  if (Buffer.byteLength(wanted) <= MAX_BYTES) return wanted;
  const name = createHash('sha256').update(wanted).digest('hex').slice(0, 16);
  return join(
    temporaryDirectory('slipway-agents', 0o700, Buffer.byteLength(process.env['TMPDIR'] ?? '') > MAX_BYTES / 2 ? '/tmp' : undefined),
    `${name}.sock`,
  );
}
