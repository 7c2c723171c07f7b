/** A directory of this user's own under the machine's temporary directory, or another that all may write to; one for all servers of the user. */
import { chmodSync, lstatSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function temporaryDirectory(name: string, mode: number, base: string = tmpdir()): string {
  const path = join(base, `${name}-${process.getuid?.() ?? 'user'}`);
  try {
    mkdirSync(path);
  } catch {
    const found = lstatSync(path);
    // Anybody may write to the temporary directory: a link or a stranger's directory of this name is not to be trusted.
    if (!found.isDirectory() || found.uid !== process.getuid?.()) return mkdtempSync(`${path}-`);
  }
  chmodSync(path, mode);
  return path;
}
