/** The operating system of an image: `etc/os-release` or `usr/lib/os-release`. */
import { isName, type Distribution } from './reading.ts';

const valueOf = (text: string): string => text.trim().replace(/^(["'])(.*)\1$/, '$2');

const fieldsOf = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text.split('\n').flatMap((line) => {
      const at = line.indexOf('=');
      return at > 0 ? [[line.slice(0, at).trim(), valueOf(line.slice(at + 1))] as const] : [];
    }),
  );

const ubuntu = (version: string): string => {
  const isLongTerm = /^\d*[02468]\.04$/.test(version);
  return `Ubuntu:${version}${isLongTerm ? ':LTS' : ''}`;
};
const alpine = (version: string): string => `Alpine:v${version.split('.').slice(0, 2).join('.')}`;

/** Names in OSV. Unstable Debian has no number, and no advisories in OSV. */
const ecosystems: Readonly<Record<string, (version: string) => string>> = {
  debian: (version) => `Debian:${version.split('.')[0] ?? ''}`,
  ubuntu,
  alpine,
  wolfi: () => 'Wolfi',
  chainguard: () => 'Chainguard',
};

export const readOsRelease = (text: string): Distribution | undefined => {
  const fields = fieldsOf(text);
  const id = fields.get('ID')?.toLowerCase();
  if (!isName(id)) return undefined;
  const version = fields.get('VERSION_ID') ?? '';
  const known = Object.hasOwn(ecosystems, id) ? ecosystems[id] : undefined;
  return { id, version, ecosystem: known?.(version) ?? `${id}${version === '' ? '' : `:${version}`}` };
};
/** Returns whether the system's packages are read and OSV has advisories for it. */
export const isKnownSystem = ({ id }: Distribution): boolean => Object.hasOwn(ecosystems, id);
/** Used if the image does not name its system. */
export const unknownSystem: Distribution = { id: 'unknown', version: '', ecosystem: 'unknown' };
