/** Packages unpacked by npm and similar tools: `node_modules/{name}/package.json`. */
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import { purlOf } from './purl.ts';
import { isName, isVersion, Unreadable, type ReadPackage } from './reading.ts';

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    throw new Unreadable('it is no JSON');
  }
};

/** Returns nothing for a file without name or version, which only sets how neighboring files are loaded. */
export const readNpm = (text: string): ReadPackage[] => {
  const value = parsed(text);
  if (!isRecord(value)) throw new Unreadable('it is no object');
  const { name, version } = value;
  if (name === undefined || version === undefined) return [];
  if (!isName(name) || !isVersion(version)) throw new Unreadable('its name or version is none');
  const at = name.startsWith('@') ? name.indexOf('/') : -1;
  const [namespace, own] = at > 0 ? [name.slice(0, at), name.slice(at + 1)] : [undefined, name];
  if (own === '') throw new Unreadable('its name is none');
  return [{ ecosystem: 'npm', name, version, source: null, purl: purlOf({ type: 'npm', namespace, name: own, version }) }];
};
