/** Packages of Debian and its derivatives: `var/lib/dpkg/status`, and `status.d` of images without a package manager. */
import { purlOf } from './purl.ts';
import { isName, isVersion, wholeList, type Distribution, type ReadPackage } from './reading.ts';
import { readStanzas, type Stanza } from './stanzas.ts';

const wanted = new Set(['package', 'version', 'source', 'status', 'architecture']);

/** Parses `openssl (3.0.11-1)`, or the name alone if both versions are equal. */
const sourceOf = (stanza: Stanza, version: string): ReadPackage['source'] => {
  const source = stanza.get('source');
  if (source === undefined) return null;
  const at = source.indexOf(' (');
  const name = at < 0 ? source : source.slice(0, at);
  const own = at >= 0 && source.endsWith(')') ? source.slice(at + 2, -1) : version;
  return isName(name) && isVersion(own) ? { name, version: own } : null;
};

/**
 * Returns whether a package is installed. Removed packages may leave their configuration behind. A list without the field contains only
 * installed packages.
 */
const isInstalled = (stanza: Stanza): boolean => {
  const status = stanza.get('status');
  return status === undefined || status.split(' ').at(-1) === 'installed';
};

export const readDpkg = (text: string, { id, version: system, ecosystem }: Distribution): ReadPackage[] => {
  const found: ReadPackage[] = [];
  const counts = { entries: 0, damaged: 0 };
  for (const stanza of readStanzas(text, wanted)) {
    counts.entries += 1;
    if (!isInstalled(stanza)) continue;
    const name = stanza.get('package');
    const version = stanza.get('version');
    if (!isName(name) || !isVersion(version)) {
      counts.damaged += 1;
      continue;
    }
    const arch = stanza.get('architecture');
    const qualifiers = { ...(isName(arch) && { arch }), distro: `${id}-${system}` };
    const purl = purlOf({ type: 'deb', namespace: id, name, version, qualifiers });
    found.push({ ecosystem, name, version, source: sourceOf(stanza, version), purl });
  }
  return wholeList(text, found, counts);
};
