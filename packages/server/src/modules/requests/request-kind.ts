/** Describes a kind of requests: who decides, what approval does, and how the request reads. */
import type { RawBuilder, Selectable, Transaction } from 'kysely';
import type { ErrorCode } from '@slipway/contract/kernel/errors.ts';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import type { ChangeHint } from '@slipway/contract/hint.ts';
import type { Subject } from '@slipway/contract/kernel/subject.ts';
import type { RequestDifference } from '@slipway/contract/request/request.ts';
import type { Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import type { Caller } from '#kernel/http/handle.ts';
import type { ActivityEntry } from '#modules/activity/index.ts';

export type RequestRow = Selectable<DB['request']>;

/** `person:usr_1`, `team:cranes`, `role:…`, or `app:berth` for the team that owns the app now. */
export type PartyKey = `${'person' | 'team' | 'app' | 'role'}:${string}`;

export interface NewRequest {
  readonly kind: string;
  readonly subject: { readonly kind: string; readonly id: string };
  /** Says in one sentence what is asked for. */
  readonly title: string;
  readonly environment?: Environment | undefined;
  readonly comment?: string | null | undefined;
  readonly deciders: readonly PartyKey[];
  /** Those on whose behalf it is raised, beside the requester. They can read, change and withdraw it. */
  readonly askers?: readonly PartyKey[];
  /** Ids of identities. */
  readonly assignedTo?: readonly string[];
  readonly payload: unknown;
  /** Id of the person whose content the request asks for, if somebody else raises it. They do not decide it. */
  readonly author?: string | undefined;
  /** Values at the time of raising. The kind compares them in `voidReason`. */
  readonly base?: unknown;
}

/** A decision or withdrawal in progress. The request's row has its new status already and is locked. */
export interface Deciding {
  readonly trx: Transaction<DB>;
  readonly row: RequestRow;
  readonly caller: Caller;
  readonly comment: string | undefined;
  /** Result of the kind's `prepare`. */
  readonly ready?: unknown;
}
/** Details for the activity log. Absent fields get the kernel's defaults. */
export type Recorded = Partial<Pick<ActivityEntry, 'type' | 'reason' | 'message' | 'subject' | 'pipelineId' | 'before' | 'after'>>;
// oxlint-disable-next-line typescript/no-invalid-void-type -- an effect may have nothing to add
type Effect = (deciding: Deciding) => Promise<Recorded | void>;

/** A person, for the roles that a kind knows. */
export type Party = Pick<Caller, 'id' | 'isAdministrator'>;

export interface RequestKind {
  readonly kind: string;
  /** Working days until the due date. Defaults to 5. */
  readonly workingDays?: number;
  /** Condition on `request` under which a person may read it who neither asks nor decides. Absent: never. */
  openTo?(party: Party): RawBuilder<boolean>;
  /** True if requests belong to the askers alone. The requester acts only while one of their keys is his. */
  readonly isOfAskers?: boolean;
  /** True if requesters may decide their own requests. */
  readonly mayDecideOwn?: boolean;
  /** Returns keys that a person holds by a role of this kind: `role:catalogApprover`. */
  keysOf?(db: Db, party: Party): Promise<readonly PartyKey[]>;
  /** Returns the ids of those who hold one of this kind's roles, for notifications. Empty for roles of other kinds. */
  holdersOf?(db: Db, key: string): Promise<readonly string[]>;
  /** Further condition for deciders. */
  mayDecide?(row: RequestRow, caller: Pick<Caller, 'id' | 'type' | 'isAutomation'>): true | ErrorCode;
  /**
   * Locks the subject before the request's row is locked. Writes of the subject lock in the same order: first the subject, then its
   * requests.
   */
  lock?(trx: Transaction<DB>, row: RequestRow): Promise<void>;
  /**
   * Calls engines, before the transaction that approves the request or raises it again. `again` is the person who raises it again. The
   * result is passed on as `ready`.
   */
  prepare?(db: Db, row: RequestRow, again?: Caller): Promise<unknown>;
  /** Called before an approval. Returns why the request is void, if it is. */
  voidReason?(trx: Transaction<DB>, row: RequestRow, ready?: unknown): Promise<string | undefined>;
  /** Applies the change, or starts its pipeline. A Problem rolls the decision back. */
  readonly approve: Effect;
  readonly reject?: Effect;
  readonly withdraw?: Effect;
  /** Called after a request became void, in its transaction. */
  voided?(trx: Transaction<DB>, row: RequestRow): Promise<void>;
  /** Returns why a final request cannot be raised again. Absent: it cannot. */
  mayRaiseAgain?(row: RequestRow): true | ErrorCode;
  /** Prepares the repetition of a final request. The kernel raises it. Throws a Problem if the content is no longer valid. */
  raiseAgain?(trx: Transaction<DB>, row: RequestRow, caller: Caller, ready?: unknown): Promise<NewRequest>;
  /** Called every minute: catches up with writes of an older version, which knows no requests of this kind. */
  sync?(db: Db): Promise<void>;
  differences(row: RequestRow): readonly RequestDifference[];
  /** Replaces ids in the differences by names, for the view of a single request. */
  named?(db: Db, differences: readonly RequestDifference[]): Promise<RequestDifference[]>;
  /** The subject for the activity log. Undefined if it no longer exists. */
  subject(row: RequestRow): Subject | undefined;
  /** Its page in the console. Defaults to the page of the subject. */
  path?(row: RequestRow): string | undefined;
  /** Hints for the browsers of those who can read the request. */
  hints(row: RequestRow): readonly ChangeHint[];
}

/** Something that happened to a request, with what a notification about it needs. */
export interface RequestEvent {
  readonly id: string;
  readonly type: 'request.raised' | 'request.decided' | 'request.void' | 'request.commented' | 'request.delegated' | 'request.due';
  /** `request:REQ-20418` */
  readonly entity: string;
  /** Ids of the recipients, without the actor. */
  readonly people: readonly string[];
  /** Undefined if the platform acts. */
  readonly actor: string | undefined;
  /** Holds title, request, by and due, and what belongs to the type: decision, reason, comment. */
  readonly context: Readonly<Record<string, string>>;
  readonly path: string;
}
/** Called in the transaction of the change. */
export type Notify = (trx: Transaction<DB>, event: RequestEvent) => Promise<void>;
