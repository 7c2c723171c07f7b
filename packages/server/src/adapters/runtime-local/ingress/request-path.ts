/** Which part of a service a request's path belongs to. */
import { posix } from 'node:path';
import type { ServiceRoute } from '#ports/runtime.ts';

type PathRules = Pick<ServiceRoute, 'basePath' | 'stripBasePath' | 'excludePathPrefixes'>;

/** The path to send on, with its query; undefined when the service does not answer there. */
export function pathInside(url: string, rules: PathRules): string | undefined {
  const base = trimSlash(rules.basePath);
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  if (!path.startsWith('/') || !isBelow(path, base)) return undefined;
  if (rules.excludePathPrefixes.length > 0 && isExcluded(path, base, rules.excludePathPrefixes)) return undefined;
  if (!rules.stripBasePath || base === '') return url;
  const rest = url.slice(base.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Prefixes count from the host or from the base path, whichever way they were meant. */
function isExcluded(path: string, base: string, prefixes: readonly string[]): boolean {
  const plain = plainPath(path);
  if (plain === undefined) return true;
  const relative = isBelow(plain, base) ? plain.slice(base.length) || '/' : plain;
  return prefixes.map((prefix) => trimSlash(prefix)).some((prefix) => isBelow(plain, prefix) || isBelow(relative, prefix));
}

/** As servers read it: otherwise `/%61dmin`, `//admin` or `/x/../admin` would slip past `/admin`. undefined for broken escapes. */
function plainPath(path: string): string | undefined {
  try {
    return posix.normalize(
      decodeURIComponent(path)
        .replaceAll('\\', '/')
        .replaceAll(/\/{2,}/g, '/'),
    );
  } catch {
    return undefined;
  }
}

const isBelow = (path: string, prefix: string): boolean => path === prefix || path.startsWith(`${prefix}/`);

const trimSlash = (path: string): string => path.replace(/\/+$/, '');
