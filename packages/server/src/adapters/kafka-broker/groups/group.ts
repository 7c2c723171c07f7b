/** A consumer group as it is: its members, its leader, its generation. What happens to it and when is in rebalance.ts and coordinator.ts. */
import { errors } from '../protocol/errors.ts';
import { Member, joinRefusal, syncRefusal, type JoinAnswer, type Protocol } from './member.ts';
import type { KeptGroup } from './offset-table.ts';
import { subscribedTopics } from './subscription.ts';
import type { Cancel } from './timers.ts';

/** As Kafka names them. A group that is gone is described as `Dead`. */
export type GroupState = 'Empty' | 'PreparingRebalance' | 'CompletingRebalance' | 'Stable';

/** What members of the program `consumer` send can be read; others use groups for their own purposes. */
const CONSUMER = 'consumer';

export class Group {
  readonly id: string;
  readonly members = new Map<string, Member>();
  /** Ids that were given out, whose members have not joined with them yet. */
  readonly pending = new Map<string, Cancel>();
  /** Members of this generation that have not asked for their assignment yet. */
  readonly unsynced = new Set<string>();
  readonly #instances = new Map<string, string>();
  #state: GroupState = 'Empty';
  previousState: GroupState = 'Empty';
  stateSince: number;
  generation: number;
  protocolType: string | undefined;
  protocolName: string | undefined;
  leaderId: string | undefined;
  /** Undefined where it cannot be known. */
  subscribed: ReadonlySet<string> | undefined;
  /** During the first rebalance: somebody came, so others may still come. */
  hasNewcomer = false;
  joinTimer: Cancel | undefined;
  syncTimer: Cancel | undefined;

  /** As it was left before the broker was started again: its members have to join anew. */
  constructor(id: string, now: number, kept?: KeptGroup) {
    this.id = id;
    this.stateSince = kept?.since ?? now;
    this.generation = kept?.generation ?? 0;
    this.protocolType = kept?.protocolType;
    if (this.protocolType === CONSUMER) this.subscribed = new Set();
  }

  get state(): GroupState {
    return this.#state;
  }
  become(state: GroupState, now: number): void {
    this.previousState = this.#state;
    this.#state = state;
    this.stateSince = now;
  }

  get isConsumers(): boolean {
    return this.protocolType === CONSUMER;
  }
  get hasEverybodyJoined(): boolean {
    return this.pending.size === 0 && this.members.values().every((member) => member.isAwaitingJoin);
  }
  get rebalanceTimeoutMs(): number {
    return Math.max(0, ...this.members.values().map((member) => member.joining.rebalanceTimeoutMs));
  }
  get awaitingJoin(): number {
    return [...this.members.values()].filter((member) => member.isAwaitingJoin).length;
  }

  instance(instanceId: string): string | undefined {
    return this.#instances.get(instanceId);
  }

  add(member: Member, protocolType: string): void {
    if (this.members.size === 0) this.protocolType = protocolType;
    this.leaderId ??= member.id;
    this.members.set(member.id, member);
    if (member.facts.instanceId !== null) this.#instances.set(member.facts.instanceId, member.id);
    this.dropPending(member.id);
  }

  remove(memberId: string): void {
    const member = this.members.get(memberId);
    member?.unwatch();
    this.members.delete(memberId);
    const instanceId = member?.facts.instanceId;
    if (typeof instanceId === 'string') this.#instances.delete(instanceId);
    if (this.leaderId === memberId) this.leaderId = this.members.keys().next().value;
    this.unsynced.delete(memberId);
    this.dropPending(memberId);
    // The oldest clients learn their id by the answer: they have to begin anew.
    member?.answerJoin(joinRefusal('', errors.UNKNOWN_MEMBER_ID));
    member?.answerSync(syncRefusal(errors.UNKNOWN_MEMBER_ID));
  }

  dropPending(memberId: string): void {
    this.pending.get(memberId)?.();
    this.pending.delete(memberId);
  }

  /** A static member that has restarted takes its place under a new id; whoever still uses the old one is fenced off. */
  replace(old: Member, memberId: string): Member {
    const member = new Member({ ...old.facts, memberId }, old.joining);
    member.assignment = old.assignment;
    this.members.delete(old.id);
    old.unwatch();
    old.answerJoin(joinRefusal(old.id, errors.FENCED_INSTANCE_ID));
    old.answerSync(syncRefusal(errors.FENCED_INSTANCE_ID));
    this.members.set(memberId, member);
    if (member.facts.instanceId !== null) this.#instances.set(member.facts.instanceId, memberId);
    if (this.leaderId === old.id) this.leaderId = memberId;
    if (this.unsynced.delete(old.id)) this.unsynced.add(memberId);
    return member;
  }

  /** Why this is no member of the group; undefined where it is one. */
  memberFault(memberId: string, instanceId: string | null): number | undefined {
    if (instanceId !== null) {
      const current = this.#instances.get(instanceId);
      if (current === undefined) return errors.UNKNOWN_MEMBER_ID;
      if (current !== memberId) return errors.FENCED_INSTANCE_ID;
    }
    return this.members.has(memberId) ? undefined : errors.UNKNOWN_MEMBER_ID;
  }

  /** Protocols that every member has. */
  #candidates(): Set<string> {
    const [first, ...others] = [...this.members.values()].map(({ joining }) => new Set(joining.protocols.map(({ name }) => name)));
    return new Set([...(first ?? [])].filter((name) => others.every((names) => names.has(name))));
  }

  /** Whether somebody with these could work with those who are there. */
  accepts(protocolType: string, protocols: readonly Protocol[]): boolean {
    if (this.members.size === 0) return protocolType !== '' && protocols.length > 0;
    const candidates = this.#candidates();
    return this.protocolType === protocolType && protocols.some(({ name }) => candidates.has(name));
  }

  /** The one with the most votes; of several, the one that was voted for first. */
  selectProtocol(): string | undefined {
    const candidates = this.#candidates();
    const votes = Map.groupBy([...this.members.values()], (member) => member.vote(candidates));
    const most = Math.max(...votes.values().map(({ length }) => length));
    return [...votes].find(([, { length }]) => length === most)?.[0];
  }

  /** A leader that is there. Undefined where nobody has joined. */
  electLeader(): string | undefined {
    const current = this.members.get(this.leaderId ?? '');
    if (current?.isAwaitingJoin !== true) this.leaderId = this.members.values().find((member) => member.isAwaitingJoin)?.id;
    return this.leaderId;
  }

  nextGeneration(now: number): void {
    this.generation += 1;
    this.unsynced.clear();
    this.protocolName = this.members.size === 0 ? undefined : this.selectProtocol();
    this.subscribed = this.#subscribedTopics();
    this.become(this.members.size === 0 ? 'Empty' : 'CompletingRebalance', now);
  }

  #subscribedTopics(): ReadonlySet<string> | undefined {
    if (!this.isConsumers) return undefined;
    const topics = [...this.members.values()].map((member) => subscribedTopics(member.metadata(this.protocolName)));
    return topics.some((some) => some === undefined) ? undefined : new Set(topics.flatMap((some) => some ?? []));
  }

  /** Where it is not known what consumers read, they may read anything. */
  isSubscribedTo(topic: string): boolean {
    return this.subscribed?.has(topic) ?? this.isConsumers;
  }

  /** What a member learns of the generation; only the leader learns of the others, whom it assigns partitions to. */
  joined(member: Member): JoinAnswer {
    return {
      throttleTimeMs: 0,
      errorCode: errors.NONE,
      generationId: this.generation,
      protocolType: this.protocolType ?? null,
      protocolName: this.protocolName ?? null,
      leader: this.leaderId ?? '',
      memberId: member.id,
      members: member.id === this.leaderId ? this.#listed() : [],
    };
  }

  #listed(): JoinAnswer['members'] {
    return [...this.members.values()].map((member) => ({
      memberId: member.id,
      groupInstanceId: member.facts.instanceId,
      metadata: member.metadata(this.protocolName),
    }));
  }
}
