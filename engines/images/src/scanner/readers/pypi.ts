/** Packages installed by pip and similar tools: `{name}.dist-info/METADATA`, `{name}.egg-info/PKG-INFO`, and packed wheels. */
import { purlOf } from './purl.ts';
import { isName, isVersion, Unreadable, type ReadPackage } from './reading.ts';
import { readStanzas } from './stanzas.ts';

const wanted = new Set(['name', 'version']);

/** Normalizes names like PyPI and OSV. */
const normalized = (name: string): string => name.replace(/[-_.]+/g, '-').toLowerCase();

const packageOf = (name: unknown, version: unknown): ReadPackage[] => {
  if (!isName(name) || !isVersion(version)) throw new Unreadable('it names no package and version');
  const own = normalized(name);
  return [{ ecosystem: 'PyPI', name: own, version, source: null, purl: purlOf({ type: 'pypi', name: own, version }) }];
};

export const readPyPI = (text: string): ReadPackage[] => {
  // The description after the first blank line is free text.
  const [stanza] = readStanzas(text, wanted);
  return packageOf(stanza?.get('name'), stanza?.get('version'));
};

/** Reads a packed wheel's name: `{name}-{version}(-{build})?-{python}-{abi}-{platform}.whl` by the specification. */
export const readWheelName = (path: string): ReadPackage[] => {
  const [name, version, ...tags] = path.slice(path.lastIndexOf('/') + 1, -'.whl'.length).split('-');
  if (tags.length < 3 || tags.length > 4) throw new Unreadable('its name is none of a wheel');
  return packageOf(name, version);
};
