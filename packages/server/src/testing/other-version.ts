/** The program in another version, to start in place of this one: its sources are copied, and a line of them is another. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../../..');
const scope = 'node_modules/@slipway';
/** The packages whose programs are started: the server, and the node agent. */
const copied: Readonly<Record<string, readonly string[]>> = {
  'packages/server': ['src', 'migrations', 'templates', 'package.json'],
  'engines/runtime': ['src', 'package.json'],
};

export interface OtherVersion {
  /** Its program. */
  readonly entry: string;
  remove(): void;
}

/** In `file`, a path from the root of the repository, the one text becomes the other. */
export function otherVersion(file: string, from: string, to: string): OtherVersion {
  const copy = mkdtempSync(join(tmpdir(), 'slipway-version-'));
  for (const folder of ['packages', 'engines', scope]) mkdirSync(join(copy, folder), { recursive: true });
  for (const shared of ['docs', 'packages/console', 'packages/contract', 'packages/ui'])
    symlinkSync(join(root, shared), join(copy, shared));
  for (const [folder, parts] of Object.entries(copied))
    for (const part of parts) cpSync(join(root, folder, part), join(copy, folder, part), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules')).filter((entry) => entry !== '@slipway'))
    symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name));
  for (const name of readdirSync(join(root, scope))) {
    const folder = Object.keys(copied).find((path) => path.endsWith(`/${name}`));
    symlinkSync(folder ? join(copy, folder) : realpathSync(join(root, scope, name)), join(copy, scope, name));
  }
  const changed = join(copy, file);
  const text = readFileSync(changed, 'utf8');
  if (!text.includes(from)) throw new Error(`${file} does not say: ${from}`);
  writeFileSync(changed, text.replace(from, to));
  return { entry: join(copy, 'packages/server/src/start.ts'), remove: () => rmSync(copy, { recursive: true, force: true }) };
}
