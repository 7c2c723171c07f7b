/**
 * Returns a private directory of this user below the machine's temporary directory, or below another world-writable `base`. Shared by all
 * servers of the user.
 */
import { chmodSync, lstatSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function temporaryDirectory(name: string, mode: number, base: string = tmpdir()): string {
  const path = join(base, `${name}-${process.getuid?.() ?? 'user'}`);
  try {
    mkdirSync(path);
  } catch {
    const found = lstatSync(path);
    // The temporary directory is world-writable, so a link or another user's directory of this name can't be trusted.
    if (!found.isDirectory() || found.uid !== process.getuid?.()) return mkdtempSync(`${path}-`);
  }
  chmodSync(path, mode);
  return path;
}
