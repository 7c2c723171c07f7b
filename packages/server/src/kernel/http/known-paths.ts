/** Which methods each path of the server takes, so that any other method gets 405, whatever the framework does. */
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

export class KnownPaths {
  readonly #paths: KnownPath[] = [];

  /** `/*` is whatever the console's files are: nothing is known of a path by that. */
  add(url: string, methods: readonly string[]): void {
    if (url !== '*' && url !== '/*') this.#paths.push({ pattern: patternOf(url), methods: new Set(methods) });
  }

  /** Sorted; undefined for a path that no route has. */
  methodsOf(target: string): readonly string[] | undefined {
    const path = decoded(target.split('?', 1)[0] ?? '');
    const found = this.#paths.filter(({ pattern }) => pattern.test(path));
    return found.length === 0 ? undefined : [...new Set(found.flatMap(({ methods }) => [...methods]))].sort();
  }
}

/** The first line of a request with a method that Node's parser does not know; undefined for other nonsense. */
export const strangeRequest = (packet: Buffer | undefined): { method: string; target: string } | undefined => {
  const line = packet?.subarray(0, 4096).toString('latin1') ?? '';
  const [, method, target] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}) (\/[!-~]*) HTTP\/1\.[01]\r?\n/.exec(line) ?? [];
  return method === undefined || target === undefined || METHODS.includes(method) ? undefined : { method, target };
};
