/**
 * Describes the libraries of the base layer as packages of this machine's distribution, as Debian's images without a package manager do, so
 * that a scan compares them. Other distributions are not described: a scan reports their libraries as unread.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { z } from 'zod';

import type { LayerSource } from '#adapters/oci/layer-writer.ts';

const run = promisify(execFile);
const STANZA = [
  'Package: ${Package}',
  'Architecture: ${Architecture}',
  'Version: ${Version}',
  'Source: ${source:Package} (${source:Version})',
].join('\\n');
/** Error of a program that failed for some of its arguments only. */
const Partial = z.object({ stdout: z.string() });

/** Returns the output of dpkg-query, or an empty text on a machine without it. */
const query = async (...args: readonly string[]): Promise<string> => {
  try {
    const { stdout } = await run('dpkg-query', args, { env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } });
    return stdout;
  } catch (error) {
    const partial = Partial.safeParse(error);
    return partial.success ? partial.data.stdout : '';
  }
};

const text = (path: string, lines: readonly string[]): LayerSource => ({
  kind: 'file',
  path,
  isExecutable: false,
  content: Buffer.from(`${lines.join('\n')}\n`),
});

/** `libraries` maps paths in the image to files on this machine. */
export const packageRecords = async (libraries: ReadonlyMap<string, string>): Promise<LayerSource[]> => {
  const owners = new Map<string, string>();
  for (const line of (await query('--search', ...libraries.keys(), ...libraries.values())).split('\n')) {
    const [, owner, path] = /^([\w.+-]+)(?::\w+)?: (\/.+)$/.exec(line) ?? [];
    if (owner !== undefined && path !== undefined) owners.set(path, owner);
  }
  const ownerOf = ([path, file]: readonly [string, string]): string => owners.get(path) ?? owners.get(file) ?? '';
  const byOwner = Map.groupBy([...libraries], ownerOf);
  byOwner.delete('');
  if (byOwner.size === 0) return [];
  const stanzas = (await query('--show', `--showformat=${STANZA}\\n\\n`, ...byOwner.keys())).split('\n\n');
  const release = (await readFile('/etc/os-release', 'utf8')).split('\n').filter((line) => /^(ID|VERSION_ID)=/.test(line));
  return [
    text('etc/os-release', release),
    ...[...byOwner].flatMap(([owner, own]) => [
      text(`var/lib/dpkg/status.d/${owner}`, [stanzas.find((stanza) => stanza.startsWith(`Package: ${owner}\n`)) ?? '']),
      text(
        `var/lib/dpkg/info/${owner}.list`,
        own.map(([path]) => path),
      ),
    ]),
  ];
};
