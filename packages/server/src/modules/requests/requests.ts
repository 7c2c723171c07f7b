/**
 * The life of a request: raised, decided, withdrawn, void. Areas call it in the transactions of their writes. A decision is one update of a
 * pending row with its effect, activity entry and notifications in one transaction, so a request is decided exactly once.
 */
import { sql } from 'kysely';
import type { RequestDecision } from '@slipway/contract/request/request.ts';
import { transaction, type Db } from '#db/database.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { amendRequest, type Amendment } from './request-changes.ts';
import type { NewRequest, RequestRow } from './request-kind.ts';
import { platformActor, RequestRegistry, type Trx } from './request-registry.ts';
import { againRule, askerRule, decideRule, idOf } from './request-rows.ts';

const WORKING_DAYS = 5;

/** Selects requests of subjects. `kind` is the kind of the request; absent for all kinds. */
export interface OfSubjects {
  readonly kind?: string;
  readonly subjectKind: string;
  readonly subjectIds: readonly string[];
}
export interface Settled {
  readonly status: 'APPROVED' | 'REJECTED' | 'WITHDRAWN';
  readonly by: { readonly id: string; readonly displayName: string };
  readonly comment?: string | null | undefined;
}
export interface Decided {
  readonly row: RequestRow;
  /** Set if the decision found the request void. */
  readonly voidReason?: string;
}

export class Requests extends RequestRegistry {
  /** Raises a request in the transaction of a write. Throws RequestAlreadyPending with the id of the requester's pending request. */
  async raise(trx: Trx, requester: Settled['by'], wanted: NewRequest): Promise<RequestRow> {
    const { workingDays = WORKING_DAYS } = this.kindOf(wanted);
    const askers = this.askersOf(wanted, requester.id);
    const row = await trx
      .insertInto('request')
      .values({
        kind: wanted.kind,
        subject_kind: wanted.subject.kind,
        subject_id: wanted.subject.id,
        title: wanted.title,
        environment: wanted.environment ?? null,
        requested_by: requester.id,
        requested_by_name: requester.displayName,
        comment: wanted.comment ?? null,
        deciders: [...wanted.deciders],
        askers,
        assigned_to: [...(wanted.assignedTo ?? [])],
        payload: JSON.stringify(wanted.payload),
        base: JSON.stringify(wanted.base ?? {}),
        revised_by: wanted.author ?? null,
        due_on: sql`working_days_after(current_date, ${workingDays})`,
      })
      .onConflict((conflict) => conflict.columns(['kind', 'subject_id', 'requested_by']).where('status', '=', 'PENDING').doNothing())
      .returningAll()
      .executeTakeFirst();
    if (!row) throw await this.#alreadyPending(trx, requester.id, wanted);
    await this.announce(trx, { type: 'request.raised', request: row, actor: requester, to: await this.approversOf(trx, row) });
    return row;
  }

  async #alreadyPending(trx: Trx, requester: string, { kind, subject }: NewRequest): Promise<Problem> {
    const pending = await trx
      .selectFrom('request')
      .select('number')
      .where('kind', '=', kind)
      .where('subject_id', '=', subject.id)
      .where('requested_by', '=', requester)
      .where('status', '=', 'PENDING')
      .executeTakeFirst();
    return new Problem('RequestAlreadyPending', { context: { request: pending ? idOf(pending) : '' } });
  }

  /** Decides a request. If approval finds it void, commits that and throws RequestVoid. */
  async decide(db: Db, caller: Caller, id: string, decision: RequestDecision): Promise<RequestRow> {
    const seen = await this.find(db, id, caller);
    const kind = this.kindOf(seen);
    const isPrepared = kind.prepare && decision.status === 'APPROVED' && decideRule(kind, seen, caller) === true;
    const ready = isPrepared ? await kind.prepare?.(db, seen) : undefined;
    // The content that was prepared is decided.
    const read = isPrepared ? { ...decision, revision: decision.revision ?? seen.revision } : decision;
    const { row, voidReason } = await transaction(db, (trx) => this.decideIn(trx, caller, id, read, ready));
    if (voidReason !== undefined) throw new Problem('RequestVoid', { context: { reason: voidReason } });
    return row;
  }

  /** As `decide`, within a transaction of the caller, who handles `voidReason`. */
  async decideIn(trx: Trx, caller: Caller, id: string, { status, comment, revision }: RequestDecision, ready?: unknown): Promise<Decided> {
    const seen = await this.find(trx, id, caller);
    const kind = this.kindOf(seen);
    const verdict = decideRule(kind, seen, caller);
    if (verdict === 'RequestDecided') throw await this.lost(trx, seen);
    if (verdict !== true) throw new Problem(verdict);
    await kind.lock?.(trx, seen);
    const row = await this.#close(trx, seen, { status, by: caller, comment }, revision);
    // A revision of the caller may have come in between.
    if (await this.isOwn(trx, row, caller.id)) throw new Problem('OwnRequest');
    const voidReason = status === 'APPROVED' ? await kind.voidReason?.(trx, row, ready) : undefined;
    if (voidReason !== undefined) {
      const [voided = row] = await this.#setVoid(trx, [row.number], voidReason);
      return { row: voided, voidReason };
    }
    const recorded = await (status === 'APPROVED' ? kind.approve : kind.reject)?.({ trx, row, caller, comment, ready });
    await this.record(trx, caller, row, 'requestDecide', recorded ?? {});
    await this.announce(trx, { type: 'request.decided', request: row, actor: caller, to: await this.involvedIn(trx, row), text: comment });
    return { row };
  }

  async withdraw(trx: Trx, caller: Caller, id: string, comment?: string): Promise<RequestRow> {
    const seen = await this.find(trx, id, caller);
    const kind = this.kindOf(seen);
    const verdict = askerRule(seen, caller);
    if (verdict === 'NotTheRequester') throw new Problem(verdict);
    await kind.lock?.(trx, seen);
    const row = await this.#close(trx, seen, { status: 'WITHDRAWN', by: caller, comment });
    const recorded = await kind.withdraw?.({ trx, row, caller, comment });
    await this.record(trx, caller, row, 'requestWithdraw', recorded ?? {});
    await this.announce(trx, { type: 'request.decided', request: row, actor: caller, to: await this.approversOf(trx, row), text: comment });
    return row;
  }

  /** Changes a pending request of the caller and increases its revision. The comments stay. */
  amend(trx: Trx, caller: Caller, id: string, amendment: Amendment): Promise<RequestRow> {
    return amendRequest(this, trx, { caller, id }, amendment);
  }

  /** Raises the content of a final request again. */
  async raiseAgain(db: Db, caller: Caller, id: string, comment?: string): Promise<RequestRow> {
    const seen = await this.find(db, id, caller);
    const kind = this.kindOf(seen);
    const ready = againRule(kind, seen, caller) === true ? await kind.prepare?.(db, seen, caller) : undefined;
    return transaction(db, (trx) => this.#raiseAgain(trx, caller, { id, comment, ready }));
  }

  async #raiseAgain(
    trx: Trx,
    caller: Caller,
    { id, comment, ready }: { readonly id: string; readonly comment: string | undefined; readonly ready: unknown },
  ): Promise<RequestRow> {
    const seen = await this.find(trx, id, caller);
    const kind = this.kindOf(seen);
    const verdict = againRule(kind, seen, caller);
    if (verdict !== true || !kind.raiseAgain) throw new Problem(verdict === true ? 'RequestNotRepeatable' : verdict);
    await kind.lock?.(trx, seen);
    const row = await this.raise(trx, caller, { ...(await kind.raiseAgain(trx, seen, caller, ready)), comment: comment || seen.comment });
    await this.record(trx, caller, row, 'requestRaiseAgain', {
      reason: 'Requested',
      message: `${caller.displayName} raised the request ${idOf(seen)} again as ${idOf(row)}: ${row.title}`,
      before: { request: idOf(seen), status: seen.status },
    });
    return row;
  }

  /** Closes pending requests of subjects because of another write of the caller, which has the effect. */
  async settle(trx: Trx, of: OfSubjects, settled: Settled): Promise<void> {
    for (const pending of await this.#pendingOf(trx, of)) {
      const row = await this.#close(trx, pending, settled);
      const { by, comment } = settled;
      const to = await this.involvedIn(trx, row);
      await this.announce(trx, { type: 'request.decided', request: row, actor: by, to, text: comment ?? undefined });
    }
  }

  /**
   * Voids pending requests of subjects in the transaction of the write that overtakes them. `reason` may pick requests by their row:
   * undefined keeps a request pending. Returns the voided requests.
   */
  async void(trx: Trx, of: OfSubjects, reason: string | ((row: RequestRow) => string | undefined)): Promise<RequestRow[]> {
    const voided: RequestRow[] = [];
    for (const row of await this.#pendingOf(trx, of)) {
      const why = typeof reason === 'string' ? reason : reason(row);
      if (why !== undefined) voided.push(...(await this.#setVoid(trx, [row.number], why)));
    }
    return voided;
  }

  /** Makes the newest request of each subject pending again, because its decision was undone. Skips subjects with a pending request. */
  async reopen(trx: Trx, { kind, subjectKind, subjectIds }: Required<OfSubjects>): Promise<RequestRow[]> {
    const { rows } = await sql<RequestRow>`
      update request set status = 'PENDING', actioned_at = null, actioned_by = null, actioned_by_name = null, action_comment = null,
        is_void = false, void_reason = null
      where status <> 'PENDING'
        and number = any (array(select max(number) from request where kind = ${kind} and subject_kind = ${subjectKind}
          and subject_id = any(${[...subjectIds]}::text[]) group by subject_id))
        and not exists (select from request other where other.kind = request.kind and other.subject_id = request.subject_id
          and other.status = 'PENDING')
      returning *`.execute(trx);
    for (const row of rows) await this.hint(trx, row);
    return rows;
  }

  /** Closes the pending row, or throws RequestChanged or RequestDecided. */
  async #close(trx: Trx, { number }: RequestRow, { status, by, comment }: Settled, revision?: number): Promise<RequestRow> {
    const row = await trx
      .updateTable('request')
      .set({ status, actioned_at: new Date(), actioned_by: by.id, actioned_by_name: by.displayName, action_comment: comment || null })
      .where('number', '=', number)
      .where('status', '=', 'PENDING')
      .$if(revision !== undefined, (query) => query.where('revision', '=', revision ?? 0))
      .returningAll()
      .executeTakeFirst();
    if (!row) throw await this.lost(trx, { number });
    return row;
  }

  /** Locks the rows. */
  #pendingOf(trx: Trx, { kind, subjectKind, subjectIds }: OfSubjects): Promise<RequestRow[]> {
    return trx
      .selectFrom('request')
      .selectAll()
      .where('subject_kind', '=', subjectKind)
      .where('subject_id', '=', sql<string>`any (${[...subjectIds]}::text[])`)
      .where('status', '=', 'PENDING')
      .$if(kind !== undefined, (query) => query.where('kind', '=', kind ?? ''))
      .orderBy('number')
      .forUpdate()
      .execute();
  }

  async #setVoid(trx: Trx, numbers: readonly number[], reason: string): Promise<RequestRow[]> {
    const rows = await trx
      .updateTable('request')
      .set({
        status: 'WITHDRAWN',
        is_void: true,
        void_reason: reason,
        actioned_at: new Date(),
        actioned_by: platformActor.id,
        actioned_by_name: platformActor.displayName,
        action_comment: null,
      })
      .where('number', 'in', numbers)
      .returningAll()
      .execute();
    for (const row of rows) {
      await this.kindOf(row).voided?.(trx, row);
      await this.announce(trx, { type: 'request.void', request: row, actor: undefined, to: await this.involvedIn(trx, row), text: reason });
    }
    return rows;
  }
}
