/** Which part of a service a request's path belongs to. */
import { posix } from 'node:path';
import type { ServiceRoute } from '#ports/runtime.ts';

type PathRules = Pick<ServiceRoute, 'basePath' | 'stripBasePath' | 'excludePathPrefixes'>;

/** Where a server may read another path than is written. */
const AMBIGUOUS = /[%\\;#]|\/[./]/;

/** The path to send on, with its query; undefined when the service does not answer there. */
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

/** Prefixes count from the host or from the base path, whichever way they were meant. Letter case is no difference: to Express it is none. */
function isExcluded(path: string, base: string, prefixes: readonly string[]): boolean {
  // As they are written, and as they are read: `/caf%C3%A9` would meet no path that was decoded.
  const unwanted = prefixes.flatMap((prefix) => [prefix, plainPath(prefix) ?? prefix]).map((prefix) => trimSlash(prefix).toLowerCase());
  return readingsOf(path).some((reading) => {
    if (reading === undefined) return true;
    const plain = reading.toLowerCase();
    const relative = isBelow(plain, base.toLowerCase()) ? plain.slice(base.length) || '/' : plain;
    return unwanted.some((prefix) => isBelow(plain, prefix) || isBelow(relative, prefix));
  });
}

/** `//admin` is `/admin` to some; to the others, who resolve it as an address, `admin` is a host and what follows the path. */
const readingsOf = (path: string): (string | undefined)[] => {
  const host = /^[/\\]{2,}[^/\\]*/.exec(path)?.[0];
  return host === undefined ? [plainPath(path)] : [plainPath(path), plainPath(path.slice(host.length) || '/')];
};

/** As servers read it: otherwise `/%61dmin`, `/x/../admin`, `/admin;x` or `/admin#x` would slip past `/admin`. undefined for broken escapes. */
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
