/** Commits, reads and deletes offsets: checks requests and expires old commits. */
import type { Request } from '../protocol/apis.ts';
import { errors } from '../protocol/errors.ts';
import type { Coordinator } from './coordinator.ts';
import type { Group } from './group.ts';
import type { OffsetStore } from './offset-store.ts';
import type { Commit, GroupOffsets, Place } from './offset-table.ts';

export interface CommittingParts {
  readonly coordinator: Coordinator;
  readonly store: OffsetStore;
  readonly now: () => number;
  readonly onFailure: (error: unknown) => void;
  /** Kafka's offsets.retention.minutes: a week. */
  readonly retentionMs?: number;
}

const RETENTION_MS = 7 * 24 * 3_600_000;
const YOUNG_MS = 60_000;
/** Since this version, OffsetCommit has a separate code for unknown groups. */
const GROUP_NOT_FOUND_SINCE = 9;

export class Committing {
  readonly #parts: CommittingParts;
  readonly #retentionMs: number;

  constructor(parts: CommittingParts) {
    this.#parts = parts;
    this.#retentionMs = parts.retentionMs ?? RETENTION_MS;
  }

  /**
   * Returns why the whole commit is refused, or undefined if it is not. A commit proves that the member is alive, so its session timer
   * restarts.
   */
  check(request: Request<'OffsetCommit'>, version: number): number | undefined {
    const { coordinator } = this.#parts;
    const { groupId, generationIdOrMemberEpoch: generation, memberId, groupInstanceId } = request;
    const group = coordinator.find(groupId);
    if (group === undefined) {
      if (generation >= 0) return version >= GROUP_NOT_FOUND_SINCE ? errors.GROUP_ID_NOT_FOUND : errors.ILLEGAL_GENERATION;
      // An administrator, or a consumer that assigns partitions to itself.
      coordinator.create(groupId);
      return undefined;
    }
    if (generation < 0 && group.state === 'Empty') return undefined;
    if (generation < 0 && memberId === '' && groupInstanceId === null) return errors.UNKNOWN_MEMBER_ID;
    const fault = group.memberFault(memberId, groupInstanceId);
    if (fault !== undefined) return fault;
    if (generation !== group.generation) return errors.ILLEGAL_GENERATION;
    if (group.state === 'CompletingRebalance') return errors.REBALANCE_IN_PROGRESS;
    coordinator.touch(group, memberId);
    return undefined;
  }

  async commit(groupId: string, commits: readonly (Place & Omit<Commit, 'committedAt'>)[]): Promise<number> {
    const committedAt = this.#parts.now();
    return this.#written(
      this.#parts.store.commit(
        groupId,
        commits.map((commit) => ({ ...commit, committedAt })),
      ),
    );
  }

  /** Returns a retriable code if the write failed. Only the broker's log has the reason. */
  async #written(writing: Promise<void>): Promise<number> {
    try {
      await writing;
      return errors.NONE;
    } catch (error) {
      this.#parts.onFailure(error);
      return errors.COORDINATOR_NOT_AVAILABLE;
    }
  }

  offsets(groupId: string): GroupOffsets {
    return this.#parts.store.offsets(groupId);
  }

  /** Deletes a group and its offsets. Returns an error code while the group has members. */
  async deleteGroup(groupId: string): Promise<number> {
    const { coordinator, store } = this.#parts;
    const group = coordinator.find(groupId);
    if (group === undefined) return errors.GROUP_ID_NOT_FOUND;
    if (group.state !== 'Empty') return errors.NON_EMPTY_GROUP;
    coordinator.drop(groupId);
    return this.#written(store.forgetGroup(groupId));
  }

  async deleteOffsets(groupId: string, places: readonly Place[]): Promise<number> {
    const known = this.#parts.store.offsets(groupId);
    const there = places.filter(({ topic, partition }) => known.get(topic)?.has(partition) === true);
    return there.length === 0 ? errors.NONE : this.#written(this.#parts.store.delete(groupId, there));
  }

  /** Deletes the offsets of deleted topics: a new topic with the same name starts at offset 0. */
  async forgetTopics(isGone: (topic: string) => boolean): Promise<void> {
    for (const groupId of this.#parts.store.groupIds()) {
      await this.deleteOffsets(
        groupId,
        placesOf(this.#parts.store, groupId).filter(({ topic }) => isGone(topic)),
      );
    }
  }

  /** Runs periodically: deletes expired commits, and groups without members and commits. */
  async sweep(): Promise<void> {
    for (const group of this.#parts.coordinator.list()) {
      await this.deleteOffsets(group.id, this.#expired(group));
      // A group that was just created may have a commit in progress.
      const isYoung = this.#parts.now() - group.stateSince < YOUNG_MS;
      const isUsed = isYoung || group.state !== 'Empty' || group.pending.size > 0 || this.#parts.store.offsets(group.id).size > 0;
      if (!isUsed) await this.deleteGroup(group.id);
    }
  }

  /** Returns the time from which a commit ages, or undefined while it does not. */
  #agesFrom(group: Group, commit: Commit): number | undefined {
    // After the last member has left, all commits age from then on. In a group that never had members, each ages from its commit.
    if (group.protocolType === undefined) return commit.committedAt;
    if (group.state === 'Empty') return Math.max(group.stateSince, commit.committedAt);
    return group.state === 'Stable' && group.subscribed !== undefined ? commit.committedAt : undefined;
  }

  #expired(group: Group): Place[] {
    const now = this.#parts.now();
    return placesOf(this.#parts.store, group.id).filter(({ topic, commit }) => {
      const from = this.#agesFrom(group, commit);
      if (from === undefined || group.isSubscribedTo(topic)) return false;
      return commit.expiresAt === undefined ? from + this.#retentionMs <= now : commit.expiresAt <= now;
    });
  }
}

const placesOf = (store: OffsetStore, groupId: string): (Place & { readonly commit: Commit })[] =>
  [...store.offsets(groupId)].flatMap(([topic, partitions]) =>
    [...partitions].map(([partition, commit]) => ({ topic, partition, commit })),
  );
