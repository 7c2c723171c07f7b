/** Committed offsets and group metadata, in memory. Built only from journal entries. */
import * as z from 'zod/mini';

export interface Commit {
  readonly offset: number;
  readonly leaderEpoch: number;
  readonly metadata: string;
  readonly committedAt: number;
  /** Set if the client requested a retention time (before version 5). Otherwise the broker's retention applies. */
  readonly expiresAt?: number | undefined;
}
export interface Place {
  readonly topic: string;
  readonly partition: number;
}
/** Kept so that a group's generations continue after a restart, and its offsets expire from the time it became empty. */
export interface KeptGroup {
  readonly protocolType: string;
  readonly generation: number;
  readonly since: number;
}

const PlaceShape = { topic: z.string(), partition: z.number() };
const CommitShape = {
  offset: z.number(),
  leaderEpoch: z.number(),
  metadata: z.string(),
  committedAt: z.number(),
  expiresAt: z.optional(z.number()),
};
export const Entry = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('commit'), group: z.string(), commits: z.array(z.object({ ...PlaceShape, ...CommitShape })) }),
  z.object({ kind: z.literal('delete'), group: z.string(), places: z.array(z.object(PlaceShape)) }),
  z.object({ kind: z.literal('group'), group: z.string(), protocolType: z.string(), generation: z.number(), since: z.number() }),
  z.object({ kind: z.literal('forget'), group: z.string() }),
]);
export type Entry = z.infer<typeof Entry>;

/** Partitions by topic. */
export type GroupOffsets = ReadonlyMap<string, ReadonlyMap<number, Commit>>;

export class OffsetTable {
  readonly #offsets = new Map<string, Map<string, Map<number, Commit>>>();
  readonly #groups = new Map<string, KeptGroup>();

  /** Returns every group with any data. */
  groupIds(): Set<string> {
    return new Set([...this.#groups.keys(), ...this.#offsets.keys()]);
  }
  offsets(group: string): GroupOffsets {
    return this.#offsets.get(group) ?? new Map();
  }
  group(group: string): KeptGroup | undefined {
    return this.#groups.get(group);
  }

  apply(entry: Entry): void {
    switch (entry.kind) {
      case 'commit':
        for (const { topic, partition, ...commit } of entry.commits) this.#partitions(entry.group, topic).set(partition, commit);
        return;
      case 'delete':
        for (const place of entry.places) this.#delete(entry.group, place);
        return;
      case 'group': {
        const { protocolType, generation, since } = entry;
        this.#groups.set(entry.group, { protocolType, generation, since });
        return;
      }
      case 'forget':
        this.#offsets.delete(entry.group);
        this.#groups.delete(entry.group);
    }
  }

  #partitions(group: string, topic: string): Map<number, Commit> {
    const topics = this.#offsets.get(group) ?? new Map<string, Map<number, Commit>>();
    this.#offsets.set(group, topics);
    const partitions = topics.get(topic) ?? new Map<number, Commit>();
    topics.set(topic, partitions);
    return partitions;
  }

  #delete(group: string, { topic, partition }: Place): void {
    const topics = this.#offsets.get(group);
    const partitions = topics?.get(topic);
    partitions?.delete(partition);
    if (partitions?.size === 0) topics?.delete(topic);
    if (topics?.size === 0) this.#offsets.delete(group);
  }

  /** Yields all state in as few entries as possible. */
  *snapshot(): Iterable<Entry> {
    for (const [group, kept] of this.#groups) yield { kind: 'group', group, ...kept };
    for (const [group, topics] of this.#offsets) {
      const commits = [...topics].flatMap(([topic, partitions]) =>
        [...partitions].map(([partition, commit]) => ({ topic, partition, ...commit })),
      );
      yield { kind: 'commit', group, commits };
    }
  }
}
