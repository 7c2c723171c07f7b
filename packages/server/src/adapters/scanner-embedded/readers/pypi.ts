/** Packages that pip and its like have installed: `{name}.dist-info/METADATA`, `{name}.egg-info/PKG-INFO`; and wheels that lie there whole. */
import { purlOf } from './purl.ts';
import { isName, isVersion, Unreadable, type ReadPackage } from './reading.ts';
import { readStanzas } from './stanzas.ts';

const wanted = new Set(['name', 'version']);

/** As PyPI and OSV compare names. */
const normalized = (name: string): string => name.replace(/[-_.]+/g, '-').toLowerCase();

const packageOf = (name: unknown, version: unknown): ReadPackage[] => {
  if (!isName(name) || !isVersion(version)) throw new Unreadable('it names no package and version');
  const own = normalized(name);
  return [{ ecosystem: 'PyPI', name: own, version, source: null, purl: purlOf({ type: 'pypi', name: own, version }) }];
};

export const readPyPI = (text: string): ReadPackage[] => {
  // The description below the first blank line is the author's text.
  const [stanza] = readStanzas(text, wanted);
  return packageOf(stanza?.get('name'), stanza?.get('version'));
};

/** A wheel that is not unpacked: by the specification its name is `{name}-{version}(-{build})?-{python}-{abi}-{platform}.whl`. */
export const readWheelName = (path: string): ReadPackage[] => {
  const [name, version, ...tags] = path.slice(path.lastIndexOf('/') + 1, -'.whl'.length).split('-');
  if (tags.length < 3 || tags.length > 4) throw new Unreadable('its name is none of a wheel');
  return packageOf(name, version);
};
