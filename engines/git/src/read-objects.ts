/** Reads objects with `git cat-file`. */
import { GitFailed, type GitProgram } from './git-program.ts';
import { ByteReader, ProtocolError } from './pkt-line.ts';

export interface GitObject {
  readonly oid: string;
  readonly type: 'commit' | 'tree' | 'blob' | 'tag';
  readonly content: Buffer;
}

export class ObjectTooLarge extends Error {
  override readonly name = 'ObjectTooLarge';
}

const lineFeed = 10;
/** Sha, type and size; or the name and a note that it is missing. */
const maxLineBytes = 4096;

export const isOid = (text: string): boolean => /^[0-9a-f]{40}$/.test(text);

/**
 * Yields the objects with these names in order, from one process; undefined for missing objects. A name is any git revision without white
 * space: `<sha>`, `<sha>:<path>`. Throws ObjectTooLarge if an object has more than `maxBytes`.
 */
export async function* readObjects(
  git: GitProgram,
  gitDir: string,
  names: readonly string[],
  maxBytes: number,
): AsyncGenerator<GitObject | undefined> {
  const { stdin, stdout, ended, stop } = git.spawn(gitDir, ['cat-file', '--batch', '--buffer']);
  try {
    // If git stops reading, its output ends too.
    stdin.on('error', () => undefined).end(names.map((name) => `${name}\n`).join(''));
    const reader = new ByteReader(stdout);
    for (const _ of names) {
      const line = (await reader.until(lineFeed, maxLineBytes))?.toString('utf8');
      if (line === undefined) throw new GitFailed('cat-file', await ended);
      const [, oid = '', type, size] = /^([0-9a-f]{40}) (commit|tree|blob|tag) (\d+)$/.exec(line) ?? [];
      if (Number(size) > maxBytes) throw new ObjectTooLarge();
      const content = type === undefined ? undefined : await reader.read(Number(size));
      if (type !== undefined) await reader.read(1);
      yield content && { oid, type: type as GitObject['type'], content };
    }
  } catch (error) {
    throw error instanceof ProtocolError ? new GitFailed('cat-file', await ended) : error;
  } finally {
    stop();
  }
}

export async function readObject(git: GitProgram, gitDir: string, name: string, maxBytes: number): Promise<GitObject | undefined> {
  for await (const object of readObjects(git, gitDir, [name], maxBytes)) return object;
  return undefined;
}
