/** Packages of Alpine and related systems: `lib/apk/db/installed`, one letter and a colon before each value. */
import { purlOf } from './purl.ts';
import { isName, isVersion, wholeList, type Distribution, type ReadPackage } from './reading.ts';
import { readStanzas } from './stanzas.ts';

// The parser lowercases field names, which is unambiguous for the fields read here: P name, V version, o origin, A architecture.
const wanted = new Set(['p', 'v', 'o', 'a']);

/** `P` and `p` are different fields, so unwanted fields are removed before parsing. */
const fieldLine = /^[PVoA]:/;
const onlyFields = (text: string): string =>
  text
    .split('\n')
    .filter((line) => line.trim() === '' || fieldLine.test(line))
    .join('\n');

export const readApk = (text: string, { id, version: system, ecosystem }: Distribution): ReadPackage[] => {
  const found: ReadPackage[] = [];
  const counts = { entries: 0, damaged: 0 };
  for (const stanza of readStanzas(onlyFields(text), wanted)) {
    const [name, version, origin, arch] = ['p', 'v', 'o', 'a'].map((field) => stanza.get(field));
    counts.entries += 1;
    if (!isName(name) || !isVersion(version)) {
      counts.damaged += 1;
      continue;
    }
    const qualifiers = { ...(isName(arch) && { arch }), distro: `${id}-${system}` };
    const purl = purlOf({ type: 'apk', namespace: id, name, version, qualifiers });
    found.push({ ecosystem, name, version, source: isName(origin) && origin !== name ? { name: origin, version } : null, purl });
  }
  return wholeList(text, found, counts);
};
