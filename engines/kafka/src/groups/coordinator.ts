/**
 * Coordinates group membership: joining, assignments, heartbeats, leaving. Behaves like Apache Kafka's classic protocol, and comments mark
 * the differences. Groups are only in memory: after a restart of the broker, members learn from their next request that they have to
 * rejoin.
 */
import type { Caller } from '../parts.ts';
import type { Request, Response } from '../protocol/apis.ts';
import { errors } from '../protocol/errors.ts';
import { Group } from './group.ts';
import { Member, joinRefusal, syncRefusal, type JoinAnswer, type Joining, type SyncAnswer } from './member.ts';
import type { KeptGroup } from './offset-table.ts';
import { Rebalance } from './rebalance.ts';
import type { Timers } from './timers.ts';

export type JoinRequest = Request<'JoinGroup'>;
type Leaving = Request<'LeaveGroup'>['members'][number];
type Left = Response<'LeaveGroup'>['members'][number];
export type Client = Pick<Caller, 'clientId' | 'host' | 'version'>;

export interface CoordinatorParts {
  readonly timers: Timers;
  readonly now: () => number;
  readonly newId: () => string;
  readonly keep: (group: Group) => void;
  readonly settings?: Partial<GroupSettings>;
}
export interface GroupSettings {
  readonly minSessionTimeoutMs: number;
  readonly maxSessionTimeoutMs: number;
  readonly initialDelayMs: number;
  readonly newMemberTimeoutMs: number;
  readonly maxMembers: number;
}

/** Kafka's defaults, except for the delay (none, as in its images for development) and a limit on members. */
const usual: GroupSettings = {
  minSessionTimeoutMs: 6000,
  maxSessionTimeoutMs: 1_800_000,
  initialDelayMs: 0,
  newMemberTimeoutMs: 300_000,
  maxMembers: 1000,
};
/** Since this version of JoinGroup, a member learns its id before it joins. */
const ID_REQUIRED_SINCE = 4;
const SKIP_ASSIGNMENT_SINCE = 9;

export class Coordinator {
  readonly #parts: CoordinatorParts;
  readonly #settings: GroupSettings;
  readonly #rebalance: Rebalance;
  readonly #groups = new Map<string, Group>();

  constructor(parts: CoordinatorParts) {
    this.#parts = parts;
    this.#settings = { ...usual, ...parts.settings };
    this.#rebalance = new Rebalance({ ...parts, initialDelayMs: this.#settings.initialDelayMs });
  }

  find(groupId: string): Group | undefined {
    return this.#groups.get(groupId);
  }
  list(): Iterable<Group> {
    return this.#groups.values();
  }
  /** Creates a group restored from disk, or one for commits without members. */
  create(groupId: string, kept?: KeptGroup): Group {
    const group = new Group(groupId, this.#parts.now(), kept);
    this.#groups.set(groupId, group);
    return group;
  }
  drop(groupId: string): void {
    const group = this.#groups.get(groupId);
    this.#groups.delete(groupId);
    if (group !== undefined) this.#rebalance.drop(group);
  }
  /** Restarts the member's session timer. Any request proves that it is alive. */
  touch(group: Group, memberId: string): void {
    const member = group.members.get(memberId);
    if (member !== undefined) this.#rebalance.watch(group, member);
  }

  join(request: JoinRequest, client: Client): Promise<JoinAnswer> {
    const { groupId, memberId, sessionTimeoutMs } = request;
    const { minSessionTimeoutMs, maxSessionTimeoutMs } = this.#settings;
    const refuse = (id: string, errorCode: number) => Promise.resolve(joinRefusal(id, errorCode));
    if (groupId === '') return refuse(memberId, errors.INVALID_GROUP_ID);
    if (sessionTimeoutMs < minSessionTimeoutMs || sessionTimeoutMs > maxSessionTimeoutMs)
      return refuse(memberId, errors.INVALID_SESSION_TIMEOUT);
    const known = this.#groups.get(groupId);
    if (known === undefined && memberId !== '') return refuse(memberId, errors.UNKNOWN_MEMBER_ID);
    const group = known ?? this.create(groupId);
    if (!this.#hasRoom(group, memberId)) {
      group.remove(memberId);
      return refuse('', errors.GROUP_MAX_SIZE_REACHED);
    }
    if (!group.accepts(request.protocolType, request.protocols)) return refuse(memberId, errors.INCONSISTENT_GROUP_PROTOCOL);
    return memberId === '' ? this.#joinNew(group, request, client) : this.#joinKnown(group, request, client);
  }

  /** Pending ids count, too, since each is kept for a session. */
  #hasRoom(group: Group, memberId: string): boolean {
    const { maxMembers } = this.#settings;
    if (group.pending.has(memberId)) return true;
    if (group.state === 'PreparingRebalance') {
      return group.members.get(memberId)?.isAwaitingJoin === true || group.awaitingJoin + group.pending.size < maxMembers;
    }
    return group.members.has(memberId) || group.members.size + group.pending.size < maxMembers;
  }

  #joinNew(group: Group, request: JoinRequest, client: Client): Promise<JoinAnswer> {
    const { groupInstanceId: instanceId } = request;
    const memberId = `${instanceId ?? client.clientId ?? ''}-${this.#parts.newId()}`;
    if (instanceId !== null) {
      const old = group.members.get(group.instance(instanceId) ?? '');
      return old === undefined ? this.#add(group, request, client, memberId) : this.#takeOver(group, old, memberId, request, client);
    }
    if (client.version < ID_REQUIRED_SINCE) return this.#add(group, request, client, memberId);
    const cancel = this.#parts.timers.after(request.sessionTimeoutMs, () => {
      group.dropPending(memberId);
      this.#rebalance.maybeComplete(group);
    });
    group.pending.set(memberId, cancel);
    return Promise.resolve(joinRefusal(memberId, errors.MEMBER_ID_REQUIRED));
  }

  #add(group: Group, request: JoinRequest, client: Client, memberId: string): Promise<JoinAnswer> {
    const { groupInstanceId: instanceId, protocolType } = request;
    const member = new Member({ memberId, instanceId, clientId: client.clientId ?? '', clientHost: client.host }, joiningOf(request));
    member.isNew = true;
    if (group.state === 'PreparingRebalance' && group.previousState === 'Empty') group.hasNewcomer = true;
    group.add(member, protocolType);
    const answer = new Promise<JoinAnswer>((resolve) => member.awaitJoin(resolve));
    this.#rebalance.watch(group, member, this.#settings.newMemberTimeoutMs);
    this.#rebalance.prepareOrComplete(group);
    return answer;
  }

  /** A static member has restarted without its id. It takes over its previous place, and the other members need not rejoin. */
  #takeOver(group: Group, old: Member, memberId: string, request: JoinRequest, client: Client): Promise<JoinAnswer> {
    const leaderBefore = group.leaderId;
    const member = group.replace(old, memberId);
    member.joining = joiningOf(request);
    this.#rebalance.watch(group, member);
    if (group.state !== 'Stable' || group.selectProtocol() !== group.protocolName) {
      const answer = new Promise<JoinAnswer>((resolve) => member.awaitJoin(resolve));
      // The leader is computing assignments with the old id, so it has to start over.
      this.#rebalance.prepareOrComplete(group);
      return answer;
    }
    const joined = group.joined(member);
    if (client.version >= SKIP_ASSIGNMENT_SINCE) return Promise.resolve({ ...joined, skipAssignment: group.leaderId === memberId });
    // An older client would assign partitions if it were the leader. With the previous leader's id, it asks for its own assignment instead.
    return Promise.resolve({ ...joined, leader: leaderBefore ?? '', members: [] });
  }

  #joinKnown(group: Group, request: JoinRequest, client: Client): Promise<JoinAnswer> {
    const { memberId, groupInstanceId } = request;
    const refuse = (errorCode: number) => Promise.resolve(joinRefusal(memberId, errorCode));
    if (group.pending.has(memberId)) {
      // Only dynamic members get pending ids. Here, Kafka answers an unknown error.
      return groupInstanceId === null ? this.#add(group, request, client, memberId) : refuse(errors.UNKNOWN_MEMBER_ID);
    }
    const fault = group.memberFault(memberId, groupInstanceId);
    const member = group.members.get(memberId);
    if (fault !== undefined || member === undefined) return refuse(fault ?? errors.UNKNOWN_MEMBER_ID);
    const isSame = member.offersTheSame(request.protocols);
    const mayStay = group.state === 'CompletingRebalance' || (group.state === 'Stable' && memberId !== group.leaderId);
    // The member may have missed the answer to its last join. A leader that rejoins wants a rebalance, because it has seen new partitions.
    if (isSame && mayStay) return Promise.resolve(group.joined(member));
    member.joining = joiningOf(request);
    const answer = new Promise<JoinAnswer>((resolve) => member.awaitJoin(resolve));
    this.#rebalance.prepareOrComplete(group);
    return answer;
  }

  sync(request: Request<'SyncGroup'>): Promise<SyncAnswer> {
    const { groupId, memberId, generationId, groupInstanceId, assignments } = request;
    const refuse = (errorCode: number) => Promise.resolve(syncRefusal(errorCode));
    if (groupId === '') return refuse(errors.INVALID_GROUP_ID);
    const group = this.#groups.get(groupId);
    if (group === undefined || group.state === 'Empty') return refuse(errors.UNKNOWN_MEMBER_ID);
    const fault = group.memberFault(memberId, groupInstanceId);
    const member = group.members.get(memberId);
    if (fault !== undefined || member === undefined) return refuse(fault ?? errors.UNKNOWN_MEMBER_ID);
    if (generationId !== group.generation) return refuse(errors.ILLEGAL_GENERATION);
    const isOther = (asked: string | null, ours: string | undefined): boolean => asked !== null && ours !== undefined && asked !== ours;
    if (isOther(request.protocolType, group.protocolType) || isOther(request.protocolName, group.protocolName)) {
      return refuse(errors.INCONSISTENT_GROUP_PROTOCOL);
    }
    if (group.state === 'PreparingRebalance') return refuse(errors.REBALANCE_IN_PROGRESS);
    group.unsynced.delete(memberId);
    if (group.state === 'Stable') {
      const { protocolType = null, protocolName = null } = group;
      return Promise.resolve({ throttleTimeMs: 0, errorCode: errors.NONE, protocolType, protocolName, assignment: member.assignment });
    }
    const answer = new Promise<SyncAnswer>((resolve) => member.awaitSync(resolve));
    if (memberId === group.leaderId) {
      // Copied, since the buffers are slices of the whole frame.
      this.#rebalance.assign(group, new Map(assignments.map((one) => [one.memberId, Buffer.from(one.assignment)])));
    }
    return answer;
  }

  heartbeat({ groupId, memberId, generationId, groupInstanceId }: Request<'Heartbeat'>): number {
    if (groupId === '') return errors.INVALID_GROUP_ID;
    const group = this.#groups.get(groupId);
    const fault = group === undefined ? errors.UNKNOWN_MEMBER_ID : group.memberFault(memberId, groupInstanceId);
    if (group === undefined || fault !== undefined) return fault ?? errors.UNKNOWN_MEMBER_ID;
    if (generationId !== group.generation) return errors.ILLEGAL_GENERATION;
    this.touch(group, memberId);
    return group.state === 'PreparingRebalance' ? errors.REBALANCE_IN_PROGRESS : errors.NONE;
  }

  /** Used by members themselves, and by administrators, who name a static member without its id. */
  leave(groupId: string, members: readonly Leaving[]): readonly Left[] {
    const group = this.#groups.get(groupId);
    const left = members.map(({ memberId, groupInstanceId }) => ({
      memberId,
      groupInstanceId,
      errorCode: group === undefined ? errors.UNKNOWN_MEMBER_ID : this.#leave(group, memberId, groupInstanceId),
    }));
    if (group !== undefined && left.some(({ errorCode }) => errorCode === errors.NONE)) this.#rebalance.afterRemoval(group);
    return left;
  }

  #leave(group: Group, memberId: string, instanceId: string | null): number {
    const current = memberId === '' ? group.instance(instanceId ?? '') : memberId;
    if (current === undefined) return errors.UNKNOWN_MEMBER_ID;
    const fault = group.pending.has(current) ? undefined : group.memberFault(current, instanceId);
    if (fault !== undefined) return fault;
    group.remove(current);
    return errors.NONE;
  }
}

const joiningOf = ({ protocols, sessionTimeoutMs, rebalanceTimeoutMs }: JoinRequest): Joining => ({
  protocols: protocols.map(({ name, metadata }) => ({ name, metadata: Buffer.from(metadata) })),
  sessionTimeoutMs,
  // Version 0 has one timeout for both.
  rebalanceTimeoutMs: rebalanceTimeoutMs < 0 ? sessionTimeoutMs : rebalanceTimeoutMs,
});
