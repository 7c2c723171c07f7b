/** Compares versions by the rules of their ecosystem. */
import { compare as comparePep440, valid as isPep440 } from '@renovatebot/pep440';
import semver from 'semver';
import { compareApk } from './apk-version.ts';
import { compareDpkg } from './dpkg-version.ts';

/** Returns undefined if a value is not a valid version of the ecosystem. */
type Compare = (a: string, b: string) => number | undefined;

/** Longest version in characters. No real version is longer, and the limit protects the libraries' regular expressions. */
const LONGEST = 256;

const compareSemver: Compare = (a, b) => {
  const [one, other] = [semver.parse(a, { loose: true }), semver.parse(b, { loose: true })];
  return one && other ? semver.compare(one, other) : undefined;
};

/** Converts Go releases such as `1.21` and `1.21rc2` to semantic versions. Modules already use `v1.2.3`. */
const goVersion = (version: string): string => {
  const release = /^(\d+)\.(\d+)(?:\.(\d+))?(?:(beta|rc)(\d+))?$/.exec(version);
  if (!release) return version;
  const [, major, minor, patch = '0', kind, number] = release;
  return `${major}.${minor}.${patch}${kind === undefined ? '' : `-${kind}.${number}`}`;
};
const compareGo: Compare = (a, b) => compareSemver(goVersion(a), goVersion(b));

const comparePython: Compare = (a, b) => (isPep440(a) && isPep440(b) ? comparePep440(a, b) : undefined);

const byEcosystem: Readonly<Record<string, Compare>> = {
  npm: compareSemver,
  Go: compareGo,
  PyPI: comparePython,
  Debian: compareDpkg,
  Ubuntu: compareDpkg,
  Alpine: compareApk,
  Wolfi: compareApk,
  Chainguard: compareApk,
  // Programs that no package manager installs, Node.js among them.
  Bitnami: compareSemver,
};

/** Returns `Debian` for `Debian:12`. */
const familyOf = (ecosystem: string): string => ecosystem.split(':', 1)[0] ?? '';
export const isKnownEcosystem = (ecosystem: string): boolean => Object.hasOwn(byEcosystem, familyOf(ecosystem));

export const compareVersions = (ecosystem: string, a: string, b: string): number | undefined => {
  const compare = isKnownEcosystem(ecosystem) ? byEcosystem[familyOf(ecosystem)] : undefined;
  if (!compare || a.length > LONGEST || b.length > LONGEST) return undefined;
  return compare(a, b);
};
