/**
 * What a git object is, what it points to, and whether it is well formed: the checks that `git fsck` would make,
 * so that a push cannot store what another client would refuse to check out.
 */
import { createHash } from 'node:crypto';

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';
export interface GitObject {
  readonly type: ObjectType;
  readonly content: Buffer;
}
export interface TreeEntry {
  readonly mode: string;
  readonly name: string;
  readonly oid: string;
}

export class MalformedObject extends Error {
  override readonly name = 'MalformedObject';
}

export const isOid = (text: string): boolean => /^[0-9a-f]{40}$/.test(text);

export const oidOf = (object: GitObject): string =>
  createHash('sha1').update(`${object.type} ${object.content.length}\0`).update(object.content).digest('hex');

export function parseTree(content: Buffer): TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(32, at);
    const end = space < 0 ? -1 : content.indexOf(0, space);
    if (end < 0 || end + 21 > content.length) throw new MalformedObject('truncated tree');
    entries.push({
      mode: content.toString('latin1', at, space),
      // Names are bytes; latin1 keeps order and length exact, readers decode them.
      name: content.toString('latin1', space + 1, end),
      oid: content.toString('hex', end + 1, end + 21),
    });
    at = end + 21;
  }
  return entries;
}

export const nameOf = (entry: TreeEntry): string => Buffer.from(entry.name, 'latin1').toString('utf8');

export interface ParsedCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: string;
  readonly email: string;
  readonly at: Date;
  readonly message: string;
}

const identity = /^(author|committer) ([^<>\n]*?) ?<([^<>\n]*)> (\d{1,15}) [+-]\d{4}$/;

export function parseCommit(content: Buffer): ParsedCommit {
  const text = content.toString('utf8');
  const split = text.indexOf('\n\n');
  const lines = (split < 0 ? text : text.slice(0, split)).split('\n');
  const tree = /^tree ([0-9a-f]{40})$/.exec(lines[0] ?? '')?.[1];
  if (tree === undefined) throw new MalformedObject('commit without a tree');
  let next = 1;
  const parents: string[] = [];
  for (
    let parent = /^parent ([0-9a-f]{40})$/.exec(lines[next] ?? '');
    parent !== null;
    parent = /^parent ([0-9a-f]{40})$/.exec(lines[next] ?? '')
  ) {
    parents.push(parent[1] ?? '');
    next += 1;
  }
  const author = identity.exec(lines[next] ?? '');
  if (author?.[1] !== 'author') throw new MalformedObject('commit with a malformed author');
  if (identity.exec(lines[next + 1] ?? '')?.[1] !== 'committer') throw new MalformedObject('commit with a malformed committer');
  const message = split < 0 ? '' : text.slice(split + 2);
  return { tree, parents, author: author[2] ?? '', email: author[3] ?? '', at: new Date(Number(author[4]) * 1000), message };
}

export function parseTag(content: Buffer): { object: string; type: ObjectType } {
  const match = /^object ([0-9a-f]{40})\ntype (commit|tree|blob|tag)\ntag [^\n]+\n/.exec(content.toString('utf8'));
  if (match === null) throw new MalformedObject('malformed tag');
  return { object: match[1] ?? '', type: match[2] as ObjectType };
}

const modes = new Set(['100644', '100755', '100664', '120000', '40000', '160000']);

/**
 * Spellings that some file system opens as `.git`: letter case and Windows' short name and trailing dots,
 * and HFS+'s code points that it ignores.
 */
function isDotGit(name: string): boolean {
  const plain = Buffer.from(name, 'latin1')
    .toString('utf8')
    .replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '')
    .toLowerCase()
    .split(/[:\\]/)[0]
    ?.replace(/[. ]+$/, '');
  return plain === '.git' || plain === 'git~1';
}

/** Git sorts a tree as if directory names ended in a slash. */
const sortKey = (entry: TreeEntry): string => (entry.mode === '40000' ? `${entry.name}/` : entry.name);

function checkTree(entries: readonly TreeEntry[]): void {
  const names = new Set<string>();
  let previous = '';
  for (const entry of entries) {
    if (!modes.has(entry.mode)) throw new MalformedObject('tree entry with an unknown mode');
    if (entry.name === '' || entry.name === '.' || entry.name === '..' || entry.name.includes('/')) {
      throw new MalformedObject('tree entry with a name that is not a file name');
    }
    if (isDotGit(entry.name)) throw new MalformedObject("tree entry named '.git'");
    const key = sortKey(entry);
    if (names.has(entry.name) || key < previous) throw new MalformedObject('tree entries out of order');
    names.add(entry.name);
    previous = key;
  }
}

/** The objects that `object` needs to be whole; submodule commits are kept elsewhere. Throws MalformedObject. */
export function checkedReferences(object: GitObject): string[] {
  if (object.type === 'blob') return [];
  if (object.type === 'tag') return [parseTag(object.content).object];
  if (object.type === 'commit') {
    const commit = parseCommit(object.content);
    return [commit.tree, ...commit.parents];
  }
  const entries = parseTree(object.content);
  checkTree(entries);
  return entries.filter((entry) => entry.mode !== '160000').map((entry) => entry.oid);
}
