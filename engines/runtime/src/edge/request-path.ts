/** Maps a request's path to a service's path rules. */
import { posix } from 'node:path';
import type { ServiceRoute } from '@slipway/foundation/ports/runtime.ts';

type PathRules = Pick<ServiceRoute, 'basePath' | 'stripBasePath' | 'excludePathPrefixes'>;

/** Characters that a server may resolve to another path. */
const AMBIGUOUS = /[%\\;#]|\/[./]/;

/** Returns the path to forward, with its query, or undefined if the service does not answer there. */
export function pathInside(url: string, rules: PathRules): string | undefined {
  const base = trimSlash(rules.basePath);
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  if (!path.startsWith('/') || !isBelow(path, base)) return undefined;
  if (base !== '' && AMBIGUOUS.test(path) && !isBelow(plainPath(path) ?? '', base)) return undefined;
  if (rules.excludePathPrefixes.length > 0 && isExcluded(path, base, rules.excludePathPrefixes)) return undefined;
  if (!rules.stripBasePath || base === '') return url;
  const rest = url.slice(base.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Prefixes match from the host or from the base path. Case-insensitive, like Express. */
function isExcluded(path: string, base: string, prefixes: readonly string[]): boolean {
  // Each prefix as written and decoded: an encoded `/caf%C3%A9` would never match a decoded path.
  const unwanted = prefixes.flatMap((prefix) => [prefix, plainPath(prefix) ?? prefix]).map((prefix) => trimSlash(prefix).toLowerCase());
  return readingsOf(path).some((reading) => {
    if (reading === undefined) return true;
    const plain = reading.toLowerCase();
    const relative = isBelow(plain, base.toLowerCase()) ? plain.slice(base.length) || '/' : plain;
    return unwanted.some((prefix) => isBelow(plain, prefix) || isBelow(relative, prefix));
  });
}

/** Returns all readings of a path. Some servers read `//admin` as `/admin`. Others resolve it as a URL, with `admin` as the host. */
const readingsOf = (path: string): (string | undefined)[] => {
  const host = /^[/\\]{2,}[^/\\]*/.exec(path)?.[0];
  return host === undefined ? [plainPath(path)] : [plainPath(path), plainPath(path.slice(host.length) || '/')];
};

/**
 * Normalizes a path as servers do, so that `/%61dmin`, `/x/../admin`, `/admin;x` or `/admin#x` can't bypass `/admin`. Returns undefined for
 * broken escapes.
 */
function plainPath(path: string): string | undefined {
  try {
    const [unmarked = ''] = path.split('#', 1);
    return posix.normalize(
      decodeURIComponent(unmarked)
        .replaceAll(/;[^/\\]*/g, '')
        .replaceAll('\\', '/')
        .replaceAll(/\/{2,}/g, '/'),
    );
  } catch {
    return undefined;
  }
}

const isBelow = (path: string, prefix: string): boolean => path === prefix || path.startsWith(`${prefix}/`);

export const trimSlash = (path: string): string => path.replace(/\/+$/, '');
