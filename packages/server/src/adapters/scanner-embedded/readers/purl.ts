/** Package addresses as the purl specification writes them, `pkg:npm/%40scope/name@1.0.0`. */
import { PackageURL } from 'packageurl-js';
import { Unreadable } from './reading.ts';

export interface PurlParts {
  readonly type: 'deb' | 'apk' | 'npm' | 'pypi' | 'golang';
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly version: string;
  readonly qualifiers?: Readonly<Record<string, string>>;
}
/** Unreadable for a name that no address can be made of. */
export const purlOf = ({ type, namespace, name, version, qualifiers }: PurlParts): string => {
  try {
    return new PackageURL(type, namespace, name, version, qualifiers, undefined).toString();
  } catch {
    throw new Unreadable('its name is none');
  }
};
