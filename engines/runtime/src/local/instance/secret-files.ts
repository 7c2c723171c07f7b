/** Writes a revision's secret files for one start of one instance, readable only by that instance's user. */
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SandboxBind } from '../../sandbox/sandbox.ts';
import { PortFailure } from '@slipway/foundation/ports/failure.ts';
import type { SecretFileMount } from '@slipway/foundation/ports/runtime.ts';

/**
 * Writes into a directory that must not exist yet: files of an earlier start never change, and read-only files could not be overwritten.
 * Without an owner the files belong to the server.
 */
export async function writeSecretFiles(
  directory: string,
  mounts: readonly SecretFileMount[],
  owner: number | undefined,
): Promise<readonly SandboxBind[]> {
  const byPath = Map.groupBy(mounts, (mount) => mount.mountPath);
  const binds: SandboxBind[] = [];
  for (const [target, group] of byPath) {
    const source = join(directory, String(binds.length));
    await mkdir(source, { recursive: true, mode: 0o700 });
    for (const [name, content] of group.flatMap((mount) => Object.entries(mount.files))) {
      if (name === '' || name === '.' || name === '..' || name.includes('/') || name.includes('\0')) {
        throw new PortFailure('rejected', `A secret file cannot be called ${JSON.stringify(name)}`);
      }
      const file = join(source, name);
      await writeFile(file, content, { mode: 0o400 });
      if (owner !== undefined) await chown(file, owner, owner);
    }
    if (owner !== undefined) await chown(source, owner, owner);
    binds.push({ source, target, isReadOnly: true });
  }
  return binds;
}
