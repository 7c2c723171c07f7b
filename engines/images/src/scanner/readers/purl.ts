/** Package URLs as defined by the purl specification, `pkg:npm/%40scope/name@1.0.0`. */
import { PackageURL } from 'packageurl-js';
import { Unreadable } from './reading.ts';

export interface PurlParts {
  readonly type: 'deb' | 'apk' | 'npm' | 'pypi' | 'golang' | 'generic';
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly version: string;
  readonly qualifiers?: Readonly<Record<string, string>>;
}
/** Throws Unreadable for a name that is invalid in a package URL. */
export const purlOf = ({ type, namespace, name, version, qualifiers }: PurlParts): string => {
  try {
    return new PackageURL(type, namespace, name, version, qualifiers, undefined).toString();
  } catch {
    throw new Unreadable('its name is none');
  }
};
