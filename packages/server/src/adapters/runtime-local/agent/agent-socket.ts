/** Where a server and its node agent meet: in the data directory, unless its path is too long for a socket. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { temporaryDirectory } from '#adapters/sandbox/temporary-directory.ts';

/** macOS allows 103 bytes, Linux 107. */
const MAX_BYTES = 103;

/** One for all servers that share a data directory: whichever drives the runtime finds the agent there. */
export function agentSocket(dataDir: string): string {
  const wanted = join(dataDir, 'runtime', 'agent.sock');
  if (Buffer.byteLength(wanted) <= MAX_BYTES) return wanted;
  const name = createHash('sha256').update(wanted).digest('hex').slice(0, 16);
  return join(
    temporaryDirectory('slipway-agents', 0o700, Buffer.byteLength(process.env['TMPDIR'] ?? '') > MAX_BYTES / 2 ? '/tmp' : undefined),
    `${name}.sock`,
  );
}
