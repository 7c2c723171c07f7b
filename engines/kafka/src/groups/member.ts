/** One member of a consumer group, with its pending answers. */
import type { Response } from '../protocol/apis.ts';
import { errors } from '../protocol/errors.ts';
import type { Cancel } from './timers.ts';

export interface Protocol {
  readonly name: string;
  readonly metadata: Buffer;
}
export type JoinAnswer = Response<'JoinGroup'>;
export type SyncAnswer = Response<'SyncGroup'>;

export interface MemberFacts {
  readonly memberId: string;
  /** Set for static members, whose place is kept while they restart. */
  readonly instanceId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
}
/** The part of a member's state that each join replaces. */
export interface Joining {
  readonly protocols: readonly Protocol[];
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
}

export const NO_BYTES = Buffer.alloc(0);

export const joinRefusal = (memberId: string, errorCode: number): JoinAnswer => ({
  throttleTimeMs: 0,
  errorCode,
  memberId,
  leader: '',
  protocolName: null,
  members: [],
});
export const syncRefusal = (errorCode: number): SyncAnswer => ({ throttleTimeMs: 0, errorCode, assignment: NO_BYTES });

export class Member {
  readonly facts: MemberFacts;
  joining: Joining;
  assignment: Buffer = NO_BYTES;
  /** True until its first join is answered. Until then, the member does not know its id and sends no heartbeats, so it may be gone. */
  isNew = false;
  #answerJoin: ((answer: JoinAnswer) => void) | undefined;
  #answerSync: ((answer: SyncAnswer) => void) | undefined;
  #session: Cancel | undefined;

  constructor(facts: MemberFacts, joining: Joining) {
    this.facts = facts;
    this.joining = joining;
  }

  get id(): string {
    return this.facts.memberId;
  }
  get isAwaitingJoin(): boolean {
    return this.#answerJoin !== undefined;
  }
  get isAwaitingSync(): boolean {
    return this.#answerSync !== undefined;
  }

  /** Answers an earlier pending request, because its client has sent another one. */
  awaitJoin(answer: (answer: JoinAnswer) => void): void {
    this.answerJoin(joinRefusal(this.id, errors.UNKNOWN_MEMBER_ID));
    this.#answerJoin = answer;
  }
  awaitSync(answer: (answer: SyncAnswer) => void): void {
    this.answerSync(syncRefusal(errors.UNKNOWN_MEMBER_ID));
    this.#answerSync = answer;
  }
  answerJoin(answer: JoinAnswer): void {
    const send = this.#answerJoin;
    this.#answerJoin = undefined;
    send?.(answer);
  }
  answerSync(answer: SyncAnswer): void {
    const send = this.#answerSync;
    this.#answerSync = undefined;
    send?.(answer);
  }

  /** Restarts the session timer, after which the member counts as dead. */
  watch(start: (ms: number) => Cancel, ms = this.joining.sessionTimeoutMs): void {
    this.#session?.();
    this.#session = start(ms);
  }
  unwatch(): void {
    this.#session?.();
    this.#session = undefined;
  }

  metadata(protocol: string | undefined): Buffer {
    return this.joining.protocols.find(({ name }) => name === protocol)?.metadata ?? NO_BYTES;
  }
  /** Returns the first candidate in this member's order of preference. */
  vote(candidates: ReadonlySet<string>): string | undefined {
    return this.joining.protocols.find(({ name }) => candidates.has(name))?.name;
  }
  offersTheSame(protocols: readonly Protocol[]): boolean {
    const own = this.joining.protocols;
    return (
      own.length === protocols.length &&
      own.every(({ name, metadata }, index) => protocols[index]?.name === name && protocols[index].metadata.equals(metadata))
    );
  }
}
