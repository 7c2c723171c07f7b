/** Packages that pip and its like have installed: `{name}.dist-info/METADATA`, `{name}.egg-info/PKG-INFO`. */
import { purlOf } from './purl.ts';
import { isName, isVersion, Unreadable, type ReadPackage } from './reading.ts';
import { readStanzas } from './stanzas.ts';

const wanted = new Set(['name', 'version']);

/** As PyPI and OSV compare names. */
const normalized = (name: string): string => name.replace(/[-_.]+/g, '-').toLowerCase();

export const readPyPI = (text: string): ReadPackage[] => {
  // The description below the first blank line is the author's text.
  const [stanza] = readStanzas(text, wanted);
  const [name, version] = [stanza?.get('name'), stanza?.get('version')];
  if (!isName(name) || !isVersion(version)) throw new Unreadable('it names no package and version');
  const own = normalized(name);
  return [{ ecosystem: 'PyPI', name: own, version, source: null, purl: purlOf({ type: 'pypi', name: own, version }) }];
};
