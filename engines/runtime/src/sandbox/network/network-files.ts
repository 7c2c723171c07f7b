/** Name resolution files for a sandbox: images have none, or outdated ones. */
import { createHash } from 'node:crypto';
import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox, SandboxBind } from '../sandbox.ts';
import { temporaryDirectory } from '../temporary-directory.ts';

/** A sandbox with its own network has no DNS server. The configured one refuses immediately, which avoids a timeout. */
const OWN = {
  '/etc/resolv.conf': 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n',
  '/etc/hosts': '127.0.0.1 localhost\n::1 localhost\n',
};

/** `hosts` maps names to addresses of that network, each a doorway. */
export function networkFiles(
  { hasNetworks }: Pick<Sandbox, 'hasNetworks'>,
  hosts: Readonly<Record<string, string>> = {},
): readonly SandboxBind[] {
  const named = Object.entries(hosts).map(([name, address]) => `${address} ${name}\n`);
  return Object.entries(OWN).flatMap(([target, content]) => {
    const text = target === '/etc/hosts' ? [content, ...named].join('') : content;
    const source = hasNetworks ? ownFile(target, text) : machineFile(target);
    return source === undefined ? [] : [{ source, target, isReadOnly: true }];
  });
}

/** File paths by content. */
const made = new Map<string, string>();

function ownFile(target: string, content: string): string {
  const known = made.get(content);
  if (known !== undefined) return known;
  const file = join(temporaryDirectory('slipway-network', 0o755), `${target.split('/').at(-1)}-${printOf(content)}`);
  writeFileSync(file, content, { mode: 0o644 });
  made.set(content, file);
  return file;
}

/** Hashes the content for the file name, since other processes of this user share the directory. */
const printOf = (content: string): string => createHash('sha256').update(content).digest('hex').slice(0, 12);

function machineFile(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
