/** The state of a consumer group: its members, leader and generation. The transitions are in rebalance.ts and coordinator.ts. */
import { errors } from '../protocol/errors.ts';
import { Member, joinRefusal, syncRefusal, type JoinAnswer, type Protocol } from './member.ts';
import type { KeptGroup } from './offset-table.ts';
import { subscribedTopics } from './subscription.ts';
import type { Cancel } from './timers.ts';

/** Kafka's state names. A deleted group is described as `Dead`. */
export type GroupState = 'Empty' | 'PreparingRebalance' | 'CompletingRebalance' | 'Stable';

/** The protocol type of consumers, whose metadata can be parsed. Other programs use groups for their own purposes. */
const CONSUMER = 'consumer';

export class Group {
  readonly id: string;
  readonly members = new Map<string, Member>();
  /** Pending ids: given to members that have not joined with them yet. */
  readonly pending = new Map<string, Cancel>();
  /** Members of this generation that have not requested their assignment yet. */
  readonly unsynced = new Set<string>();
  readonly #instances = new Map<string, string>();
  #state: GroupState = 'Empty';
  previousState: GroupState = 'Empty';
  stateSince: number;
  generation: number;
  protocolType: string | undefined;
  protocolName: string | undefined;
  leaderId: string | undefined;
  /** Topics that members subscribe to. Undefined if unknown. */
  subscribed: ReadonlySet<string> | undefined;
  /** True if a member joined during the first rebalance, so that others may follow. */
  hasNewcomer = false;
  joinTimer: Cancel | undefined;
  syncTimer: Cancel | undefined;

  /** `kept` is the state from before a restart. Members have to rejoin. */
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
    // The oldest clients learn their id from the answer, so they have to rejoin.
    member?.answerJoin(joinRefusal('', errors.UNKNOWN_MEMBER_ID));
    member?.answerSync(syncRefusal(errors.UNKNOWN_MEMBER_ID));
  }

  dropPending(memberId: string): void {
    this.pending.get(memberId)?.();
    this.pending.delete(memberId);
  }

  /** Replaces a restarted static member under a new id, and fences off users of the old id. */
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

  /** Returns an error code if this is not a member of the group, otherwise undefined. */
  memberFault(memberId: string, instanceId: string | null): number | undefined {
    if (instanceId !== null) {
      const current = this.#instances.get(instanceId);
      if (current === undefined) return errors.UNKNOWN_MEMBER_ID;
      if (current !== memberId) return errors.FENCED_INSTANCE_ID;
    }
    return this.members.has(memberId) ? undefined : errors.UNKNOWN_MEMBER_ID;
  }

  /** Returns the protocols that every member supports. */
  #candidates(): Set<string> {
    const [first, ...others] = [...this.members.values()].map(({ joining }) => new Set(joining.protocols.map(({ name }) => name)));
    return new Set([...(first ?? [])].filter((name) => others.every((names) => names.has(name))));
  }

  /** Returns true if a member with these protocols is compatible with the existing members. */
  accepts(protocolType: string, protocols: readonly Protocol[]): boolean {
    if (this.members.size === 0) return protocolType !== '' && protocols.length > 0;
    const candidates = this.#candidates();
    return this.protocolType === protocolType && protocols.some(({ name }) => candidates.has(name));
  }

  /** Returns the protocol with the most votes. In a tie, the first one voted for wins. */
  selectProtocol(): string | undefined {
    const candidates = this.#candidates();
    const votes = Map.groupBy([...this.members.values()], (member) => member.vote(candidates));
    const most = Math.max(...votes.values().map(({ length }) => length));
    return [...votes].find(([, { length }]) => length === most)?.[0];
  }

  /** Returns the leader, which must be rejoining. Undefined if nobody has joined. */
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

  /** If the subscriptions of consumers are unknown, they may include any topic. */
  isSubscribedTo(topic: string): boolean {
    return this.subscribed?.has(topic) ?? this.isConsumers;
  }

  /** Returns the answer to a join. Only the leader, which assigns partitions, gets the list of members. */
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
