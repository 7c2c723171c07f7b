/**
 * Describes the libraries of the base layer as packages of this machine's distribution, as Debian's images without a package manager do, so
 * that a scan compares them. Other distributions are not described: a scan reports their libraries as unread.
 */
import { execFile } from 'node:child_process';
import { readFile, realpath } from 'node:fs/promises';
import { promisify } from 'node:util';
import { z } from 'zod';

import type { LayerSource } from '@slipway/images/oci/layer-writer.ts';
import { mapLimited } from '@slipway/foundation/map-limited.ts';

const run = promisify(execFile);
const STANZA = [
  'Package: ${Package}',
  'Architecture: ${Architecture}',
  'Version: ${Version}',
  'Source: ${source:Package} (${source:Version})',
].join('\\n');
/** Error of a program that failed for some of its arguments only. */
const PartialFailure = z.object({ stdout: z.string() });

/** Returns the output of dpkg-query, or an empty text on a machine without it. */
const query = async (...args: readonly string[]): Promise<string> => {
  try {
    const { stdout } = await run('dpkg-query', args, { env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } });
    return stdout;
  } catch (error) {
    const partial = PartialFailure.safeParse(error);
    return partial.success ? partial.data.stdout : '';
  }
};

const text = (path: string, lines: readonly string[]): LayerSource => ({
  kind: 'file',
  path,
  isExecutable: false,
  content: Buffer.from(`${lines.join('\n')}\n`),
});

/** Returns files that describe the packages of these libraries. Empty if this machine has no dpkg. */
export const packageRecords = async (libraries: readonly string[]): Promise<LayerSource[]> => {
  const files = new Map(await mapLimited(libraries, async (path) => [path, await realpath(path)] as const));
  const owners = new Map<string, string>();
  // Before a link is followed or after: dpkg knows a library by one of its paths.
  for (const line of (await query('--search', ...files.keys(), ...files.values())).split('\n')) {
    const [, owner, path] = /^([\w.+-]+)(?::\w+)?: (\/.+)$/.exec(line) ?? [];
    if (owner !== undefined && path !== undefined) owners.set(path, owner);
  }
  const byOwner = Map.groupBy(libraries, (path) => owners.get(path) ?? owners.get(files.get(path) ?? '') ?? '');
  byOwner.delete('');
  if (byOwner.size === 0) return [];
  const stanzas = (await query('--show', `--showformat=${STANZA}\\n\\n`, ...byOwner.keys())).split('\n\n');
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
  return [
    text(
      'etc/os-release',
      release.split('\n').filter((line) => /^(ID|VERSION_ID)=/.test(line)),
    ),
    ...[...byOwner].flatMap(([owner, paths]) => [
      text(`var/lib/dpkg/status.d/${owner}`, [stanzas.find((stanza) => stanza.startsWith(`Package: ${owner}\n`)) ?? '']),
      text(`var/lib/dpkg/info/${owner}.list`, paths),
    ]),
  ];
};
