/** Which objects a client lacks, from what it wants and what it has. */
import { MalformedObject, parseCommit, parseTag, parseTree } from './git-object.ts';
import type { ParsedCommit } from './git-object.ts';
import type { ObjectStore } from './object-store.ts';

/** What a client asked for, and what it need not be sent. */
export interface WantedHistory {
  readonly wants: readonly string[];
  /** Objects that both sides have. */
  readonly common: readonly string[];
}

async function commitOf(objects: ObjectStore, oid: string): Promise<ParsedCommit | undefined> {
  const object = await objects.read(oid);
  return object?.type === 'commit' ? parseCommit(object.content) : undefined;
}

/** All commits from `tips` back to the first ones, not entering those that `stop` holds. */
export async function ancestors(
  objects: ObjectStore,
  tips: readonly string[],
  stop: ReadonlySet<string> = new Set(),
): Promise<Map<string, ParsedCommit>> {
  const found = new Map<string, ParsedCommit>();
  const queue = [...tips];
  for (let oid = queue.pop(); oid !== undefined; oid = queue.pop()) {
    if (found.has(oid) || stop.has(oid)) continue;
    const commit = await commitOf(objects, oid);
    if (commit === undefined) continue;
    found.set(oid, commit);
    queue.push(...commit.parents);
  }
  return found;
}

/** Adds a tree and all below it to `into`, except what `skip` holds. */
async function addTree(objects: ObjectStore, root: string, into: Set<string>, skip: ReadonlySet<string>): Promise<void> {
  const queue = [root];
  for (let oid = queue.pop(); oid !== undefined; oid = queue.pop()) {
    if (into.has(oid) || skip.has(oid)) continue;
    const tree = await objects.read(oid);
    if (tree?.type !== 'tree') throw new MalformedObject(`missing tree ${oid}`);
    into.add(oid);
    for (const entry of parseTree(tree.content)) {
      if (entry.mode === '40000') queue.push(entry.oid);
      else if (entry.mode !== '160000' && !skip.has(entry.oid)) into.add(entry.oid);
    }
  }
}

/** Follows annotated tags. Answers the tags passed and the object they end at. */
async function peel(objects: ObjectStore, oid: string): Promise<{ tags: string[]; target: string }> {
  const tags: string[] = [];
  for (let target = oid; ;) {
    const object = await objects.read(target);
    if (object?.type !== 'tag') return { tags, target };
    tags.push(target);
    target = parseTag(object.content).object;
  }
}

export const peeledOid = async (objects: ObjectStore, oid: string): Promise<string> => (await peel(objects, oid)).target;

/** What to send, in the order git likes to read: commits first. */
export async function wantedObjects(objects: ObjectStore, history: WantedHistory): Promise<string[]> {
  const theirs = await ancestors(objects, await Promise.all(history.common.map((oid) => peeledOid(objects, oid))));
  const known = new Set<string>();
  // Only the newest common commits' files: older ones hardly ever come back, and sending one twice does no harm.
  for (const oid of history.common) {
    const commit = theirs.get(await peeledOid(objects, oid));
    if (commit !== undefined) await addTree(objects, commit.tree, known, new Set());
  }
  const peeled = await Promise.all(history.wants.map((oid) => peel(objects, oid)));
  const had = new Set([...theirs.keys(), ...history.common]);
  const commits = await ancestors(
    objects,
    peeled.map((want) => want.target),
    had,
  );
  const files = new Set<string>();
  for (const commit of commits.values()) await addTree(objects, commit.tree, files, known);
  const tags = peeled.flatMap((want) => want.tags).filter((oid) => !had.has(oid));
  const others: string[] = [];
  // A tag may point at a tree or a file.
  for (const { target } of peeled) {
    if (commits.has(target) || had.has(target)) continue;
    const object = await objects.read(target);
    if (object?.type === 'tree') await addTree(objects, target, files, known);
    else others.push(target);
  }
  return [...new Set([...commits.keys(), ...tags, ...files, ...others])];
}
