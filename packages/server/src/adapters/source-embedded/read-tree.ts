/** Reads all files of a commit for a build, within limits: what a person pushed must not fill the server's memory. */
import { PortFailure } from '#ports/failure.ts';
import type { SourceFile } from '#ports/builder.ts';
import { nameOf, parseCommit, parseTree } from './git-object.ts';
import type { ObjectStore } from './object-store.ts';
import { ObjectTooLarge } from './pack-entry.ts';

export interface TreeLimits {
  readonly maxBytes: number;
  readonly maxFiles: number;
}

export interface SourceTree {
  readonly files: readonly SourceFile[];
  /** Paths left out: symbolic links, which could lead out of the tree, and submodules, which are kept elsewhere. */
  readonly skipped: readonly string[];
}

const tooLarge = (limits: TreeLimits): PortFailure =>
  new PortFailure('rejected', 'the source tree is too large', {
    code: 'SourceTooLarge',
    context: { limit: `${Math.round(limits.maxBytes / 1024 / 1024)} MB or ${limits.maxFiles} files` },
  });

export const noCommit = (sha: string): PortFailure =>
  new PortFailure('notFound', `there is no commit ${sha}`, { code: 'CommitDoesNotExist', context: { commit: sha } });

/** Rejected: notFound without such a commit, SourceTooLarge above the limits. */
export async function readSourceTree(objects: ObjectStore, sha: string, limits: TreeLimits): Promise<SourceTree> {
  const commit = await objects.read(sha);
  if (commit?.type !== 'commit') throw noCommit(sha);
  const files: SourceFile[] = [];
  const skipped: string[] = [];
  let bytesLeft = limits.maxBytes;
  const queue = [{ oid: parseCommit(commit.content).tree, prefix: '' }];
  const read = async (oid: string): Promise<Buffer> => {
    const object = await objects.read(oid, bytesLeft).catch((error: unknown) => {
      throw error instanceof ObjectTooLarge ? tooLarge(limits) : error;
    });
    if (object === undefined) throw new Error(`the repository lacks object ${oid}`);
    // Trees count too: they can be made to multiply without end.
    bytesLeft -= object.content.length;
    return object.content;
  };
  for (let folder = queue.pop(); folder !== undefined; folder = queue.pop()) {
    for (const entry of parseTree(await read(folder.oid))) {
      const path = `${folder.prefix}${nameOf(entry)}`;
      if (entry.mode === '40000') queue.push({ oid: entry.oid, prefix: `${path}/` });
      else if (entry.mode === '120000' || entry.mode === '160000') skipped.push(path);
      else files.push({ path, content: await read(entry.oid), isExecutable: entry.mode === '100755' });
      if (files.length > limits.maxFiles || queue.length > limits.maxFiles) throw tooLarge(limits);
    }
  }
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), skipped };
}
