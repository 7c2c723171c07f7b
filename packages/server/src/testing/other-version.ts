/** The program in another version, to start in place of this one: its sources are copied, and a line of them is another. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../../..');

export interface OtherVersion {
  /** Its program. */
  readonly entry: string;
  remove(): void;
}

/** In `file`, below the server's sources, the one text becomes the other. */
export function otherVersion(file: string, from: string, to: string): OtherVersion {
  const copy = mkdtempSync(join(tmpdir(), 'slipway-version-'));
  const server = join(copy, 'packages/server');
  mkdirSync(server, { recursive: true });
  for (const shared of ['node_modules', 'docs', 'packages/console', 'packages/contract', 'packages/ui'])
    symlinkSync(join(root, shared), join(copy, shared));
  for (const own of ['src', 'migrations', 'templates', 'package.json'])
    cpSync(join(root, 'packages/server', own), join(server, own), { recursive: true });
  const changed = join(server, 'src', file);
  const text = readFileSync(changed, 'utf8');
  if (!text.includes(from)) throw new Error(`${file} does not say: ${from}`);
  writeFileSync(changed, text.replace(from, to));
  return { entry: join(server, 'src/start.ts'), remove: () => rmSync(copy, { recursive: true, force: true }) };
}
