/** Reads all files of a commit for a build, within limits: a push must not fill the server's memory. */
import type { SourceFile } from '@slipway/foundation/ports/builder.ts';
import { PortFailure } from '@slipway/foundation/ports/failure.ts';
import { GitFailed, type GitProgram } from './git-program.ts';
import { ByteReader, ProtocolError } from './pkt-line.ts';
import { isOid, readObject, readObjects } from './read-objects.ts';

export interface TreeLimits {
  readonly maxBytes: number;
  readonly maxFiles: number;
}

export interface SourceTree {
  readonly files: readonly SourceFile[];
  /** Skipped paths: symbolic links, which could lead out of the tree, and submodules, which are stored elsewhere. */
  readonly skipped: readonly string[];
}

interface Entry {
  readonly mode: string;
  readonly oid: string;
  readonly size: number;
  readonly path: string;
}

/** More than any path that a file system allows. */
const maxEntryBytes = 16 * 1024;

const tooLarge = (limits: TreeLimits): PortFailure =>
  new PortFailure('rejected', 'the source tree is too large', {
    code: 'SourceTooLarge',
    context: { limit: `${Math.round(limits.maxBytes / 1024 / 1024)} MB or ${limits.maxFiles} files` },
  });

const noCommit = (sha: string): PortFailure =>
  new PortFailure('notFound', `there is no commit ${sha}`, { code: 'CommitDoesNotExist', context: { commit: sha } });

/** Yields every entry of the tree, recursively. */
async function* entriesOf(git: GitProgram, gitDir: string, commit: string): AsyncGenerator<Entry> {
  const { stdin, stdout, ended, stop } = git.spawn(gitDir, ['ls-tree', '-r', '-t', '-z', '--long', '--full-tree', `${commit}^{commit}`]);
  try {
    stdin.on('error', () => undefined).end();
    const reader = new ByteReader(stdout);
    for (let line = await reader.until(0, maxEntryBytes); line !== undefined; line = await reader.until(0, maxEntryBytes)) {
      const tab = line.indexOf(9);
      const [mode = '', , oid = '', size = ''] = line.toString('latin1', 0, tab).split(/ +/);
      yield { mode, oid, size: Number(size) || 0, path: line.toString('utf8', tab + 1) };
    }
    const end = await ended;
    if (end.code !== 0) throw new GitFailed('ls-tree', end);
  } finally {
    stop();
  }
}

const isFile = ({ mode }: Entry): boolean => mode.startsWith('100');

/** Lists entries within both limits. Trees count too, since a small repository can nest them exponentially. */
async function list(entries: AsyncIterable<Entry>, limits: TreeLimits): Promise<Entry[]> {
  const listed: Entry[] = [];
  let files = 0;
  let others = 0;
  let bytes = 0;
  for await (const entry of entries) {
    if (isFile(entry)) files += 1;
    else others += 1;
    bytes += entry.size + Buffer.byteLength(entry.path);
    if (bytes > limits.maxBytes || files > limits.maxFiles || others > limits.maxFiles) throw tooLarge(limits);
    if (entry.mode !== '040000') listed.push(entry);
  }
  return listed;
}

/** Rejects with notFound if the commit does not exist, and with SourceTooLarge above the limits. */
export async function readSourceTree(git: GitProgram, gitDir: string, commit: string, limits: TreeLimits): Promise<SourceTree> {
  if (!isOid(commit)) throw noCommit(commit);
  const listed = await list(entriesOf(git, gitDir, commit), limits).catch(async (error: unknown) => {
    if (error instanceof ProtocolError) throw tooLarge(limits);
    // Git fails in the same way if the commit does not exist and if it can't be read.
    if (error instanceof GitFailed && (await readObject(git, gitDir, `${commit}^{commit}`, limits.maxBytes)) === undefined)
      throw noCommit(commit);
    throw error;
  });
  const files = listed.filter(isFile);
  const names = files.map(({ oid }) => oid);
  const read: SourceFile[] = [];
  for await (const object of readObjects(git, gitDir, names, limits.maxBytes)) {
    const file = files[read.length];
    if (object === undefined || file === undefined) throw new Error(`the repository lacks object ${file?.oid}`);
    read.push({ path: file.path, content: object.content, isExecutable: file.mode === '100755' });
  }
  const skipped = listed.filter((entry) => !isFile(entry)).map(({ path }) => path);
  return { files: read.sort((a, b) => (a.path < b.path ? -1 : 1)), skipped };
}
