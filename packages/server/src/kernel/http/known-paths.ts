/** Knows which methods each path of the server accepts, so that other methods get 405 regardless of the framework. */
import { METHODS } from 'node:http';

interface KnownPath {
  readonly pattern: RegExp;
  readonly methods: ReadonlySet<string>;
}

const escaped = (text: string): string => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
const patternOf = (url: string): RegExp =>
  new RegExp(
    `^${url
      .split('/')
      .map((part) => (part.startsWith(':') ? '[^/]+' : part === '*' ? '.*' : escaped(part)))
      .join('/')}$`,
  );

const decoded = (path: string): string => {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
};

/** Returns the fixed prefix of a route: `/api/v1/teams/` of `/api/v1/teams/:team`. */
const fixedPartOf = (url: string): string => {
  const varies = url.search(/:|\*/);
  return varies === -1 ? url : url.slice(0, url.lastIndexOf('/', varies) + 1);
};

export class KnownPaths {
  readonly #byFixedPart = new Map<string, KnownPath[]>();

  /** Ignores `/*`: the route of the console's files says nothing about a path. */
  add(url: string, methods: readonly string[]): void {
    if (url === '*' || url === '/*') return;
    const known = { pattern: patternOf(url), methods: new Set(methods) };
    const fixed = fixedPartOf(url);
    const others = this.#byFixedPart.get(fixed);
    if (others) others.push(known);
    else this.#byFixedPart.set(fixed, [known]);
  }

  /** Sorted. Undefined if no route has the path. */
  methodsOf(target: string): readonly string[] | undefined {
    const path = decoded(target.split('?', 1)[0] ?? '');
    const fixedParts = new Set([path]);
    for (let end = path.indexOf('/') + 1; end > 0; end = path.indexOf('/', end) + 1) fixedParts.add(path.slice(0, end));
    const candidates = [...fixedParts].flatMap((fixed) => this.#byFixedPart.get(fixed) ?? []);
    const found = candidates.filter(({ pattern }) => pattern.test(path));
    return found.length === 0 ? undefined : [...new Set(found.flatMap(({ methods }) => [...methods]))].sort();
  }
}

/** Reads the first line of a request with a method that Node's parser does not know. Undefined for malformed input. */
export const strangeRequest = (packet: Buffer | undefined): { method: string; target: string } | undefined => {
  const line = packet?.subarray(0, 4096).toString('latin1') ?? '';
  const [, method, target] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}) (\/[!-~]*) HTTP\/1\.[01]\r?\n/.exec(line) ?? [];
  return method === undefined || target === undefined || METHODS.includes(method) ? undefined : { method, target };
};
