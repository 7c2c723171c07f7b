/** The machine's name resolution for programs that share its network: images carry no file for that, or a stale one. */
import { realpathSync } from 'node:fs';
import type { SandboxBind } from './sandbox.ts';

export function networkFiles(): readonly SandboxBind[] {
  return ['/etc/resolv.conf', '/etc/hosts'].flatMap((target) => {
    try {
      return [{ source: realpathSync(target), target, isReadOnly: true }];
    } catch {
      return [];
    }
  });
}
