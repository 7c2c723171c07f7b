/** Name resolution inside a sandbox: images carry no file for that, or a stale one. */
import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox, SandboxBind } from '../sandbox.ts';
import { temporaryDirectory } from '../temporary-directory.ts';

/** In a network of its own there is nobody to ask but itself: the one server named refuses at once, instead of after a time-out. */
const OWN = {
  '/etc/resolv.conf': 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n',
  '/etc/hosts': '127.0.0.1 localhost\n::1 localhost\n',
};

export function networkFiles({ hasNetworks }: Pick<Sandbox, 'hasNetworks'>): readonly SandboxBind[] {
  return Object.entries(OWN).flatMap(([target, content]) => {
    const source = hasNetworks ? ownFile(target, content) : machineFile(target);
    return source === undefined ? [] : [{ source, target, isReadOnly: true }];
  });
}

const made = new Map<string, string>();

function ownFile(target: string, content: string): string {
  const known = made.get(target);
  if (known !== undefined) return known;
  const file = join(temporaryDirectory('slipway-network', 0o755), target.split('/').at(-1) ?? '');
  writeFileSync(file, content, { mode: 0o644 });
  made.set(target, file);
  return file;
}

function machineFile(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
