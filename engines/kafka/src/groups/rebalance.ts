/**
 * Rebalances: all members join, one is elected leader and assigns the partitions, and each requests its assignment. Follows Apache Kafka's
 * GroupMetadataManager for the classic protocol, including its timeouts.
 */
import { errors } from '../protocol/errors.ts';
import type { Group } from './group.ts';
import { NO_BYTES, syncRefusal, type Member } from './member.ts';
import type { Timers } from './timers.ts';

export interface RebalanceParts {
  readonly timers: Timers;
  readonly now: () => number;
  /** How long the first rebalance of an empty group waits for more members. */
  readonly initialDelayMs: number;
  /** Persists the group's metadata after a change. */
  readonly keep: (group: Group) => void;
}

export class Rebalance {
  readonly #parts: RebalanceParts;

  constructor(parts: RebalanceParts) {
    this.#parts = parts;
  }

  /** Restarts the session timer. Members that wait for an answer do not have to send heartbeats. */
  watch(group: Group, member: Member, ms?: number): void {
    member.watch((after) => this.#parts.timers.after(after, () => this.#expire(group, member)), ms);
  }

  #expire(group: Group, member: Member): void {
    if (group.members.get(member.id) !== member) return;
    if (!member.isNew && (member.isAwaitingJoin || member.isAwaitingSync)) return;
    group.remove(member.id);
    this.afterRemoval(group);
  }

  /** Called when a member has left, or a pending id has expired. */
  afterRemoval(group: Group): void {
    if (group.state === 'Stable' || group.state === 'CompletingRebalance') this.prepare(group);
    else this.maybeComplete(group);
  }

  /** Called when a member has joined, or has rejoined with changed protocols. */
  prepareOrComplete(group: Group): void {
    if (group.state === 'PreparingRebalance') this.maybeComplete(group);
    else this.prepare(group);
  }

  prepare(group: Group): void {
    if (group.state === 'CompletingRebalance') {
      for (const member of group.members.values()) this.#assign(group, member, NO_BYTES, errors.REBALANCE_IN_PROGRESS);
    }
    group.unsynced.clear();
    group.syncTimer?.();
    const isFirst = group.state === 'Empty';
    group.become('PreparingRebalance', this.#parts.now());
    if (isFirst) this.#waitForMore(group, this.#parts.initialDelayMs, group.rebalanceTimeoutMs - this.#parts.initialDelayMs);
    else if (group.hasEverybodyJoined) this.#complete(group);
    else this.#waitForJoins(group);
  }

  #waitForJoins(group: Group): void {
    group.joinTimer?.();
    group.joinTimer = this.#parts.timers.after(group.rebalanceTimeoutMs, () => this.#complete(group));
  }

  /** Extends the wait for each new member, up to the rebalance timeout. */
  #waitForMore(group: Group, ms: number, leftMs: number): void {
    group.joinTimer?.();
    group.joinTimer = this.#parts.timers.after(ms, () => {
      if (!group.hasNewcomer || leftMs <= 0) {
        this.#complete(group);
        return;
      }
      group.hasNewcomer = false;
      this.#waitForMore(group, Math.min(this.#parts.initialDelayMs, leftMs), leftMs - ms);
    });
  }

  /** Completes the rebalance once all have joined. The first rebalance only ends by its timer, so that others can join. */
  maybeComplete(group: Group): void {
    if (group.state === 'PreparingRebalance' && group.previousState !== 'Empty' && group.hasEverybodyJoined) this.#complete(group);
  }

  #complete(group: Group): void {
    group.joinTimer?.();
    if (group.state !== 'PreparingRebalance') return;
    // A static member keeps its place until its session expires.
    for (const member of group.members.values()) {
      if (!member.isAwaitingJoin && member.facts.instanceId === null) group.remove(member.id);
    }
    if (group.members.size > 0 && group.electLeader() === undefined) {
      this.#waitForJoins(group);
      return;
    }
    group.hasNewcomer = false;
    group.nextGeneration(this.#parts.now());
    if (group.members.size === 0) {
      this.#parts.keep(group);
      return;
    }
    for (const member of group.members.values()) {
      member.isNew = false;
      group.unsynced.add(member.id);
      this.watch(group, member);
      member.answerJoin(group.joined(member));
    }
    const { generation } = group;
    group.syncTimer = this.#parts.timers.after(group.rebalanceTimeoutMs, () => this.#expireSync(group, generation));
  }

  /** Removes members that never requested their assignment, because nobody would read their partitions. */
  #expireSync(group: Group, generation: number): void {
    const isOver = group.state === 'PreparingRebalance' || group.state === 'Empty';
    if (isOver || generation !== group.generation || group.unsynced.size === 0) return;
    for (const memberId of group.unsynced) group.remove(memberId);
    this.prepare(group);
  }

  /** Stores the leader's assignments and answers all pending sync requests. */
  assign(group: Group, assignments: ReadonlyMap<string, Buffer>): void {
    group.become('Stable', this.#parts.now());
    this.#parts.keep(group);
    for (const member of group.members.values()) this.#assign(group, member, assignments.get(member.id) ?? NO_BYTES, errors.NONE);
  }

  #assign(group: Group, member: Member, assignment: Buffer, errorCode: number): void {
    member.assignment = assignment;
    if (!member.isAwaitingSync) return;
    // Its session may have expired during the wait.
    this.watch(group, member);
    const { protocolType = null, protocolName = null } = group;
    const answer = { throttleTimeMs: 0, errorCode, protocolType, protocolName, assignment };
    member.answerSync(errorCode === errors.NONE ? answer : syncRefusal(errorCode));
  }

  /** Cancels all timers of the group. */
  drop(group: Group): void {
    group.joinTimer?.();
    group.syncTimer?.();
    for (const memberId of [...group.pending.keys(), ...group.members.keys()]) group.remove(memberId);
  }
}
