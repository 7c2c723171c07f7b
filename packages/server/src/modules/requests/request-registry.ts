/** The registered kinds of requests, and what every write of a request shares: lookup, activity entries, hints and notifications. */
import { sql, type RawBuilder, type Transaction } from 'kysely';
import type { Request } from '@slipway/contract/request/request.ts';
import type { Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { notifyChanges } from '#kernel/changes.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { newId } from '#kernel/ids.ts';
import { Problem } from '#kernel/problem.ts';
import { recordWrite } from '#modules/activity/index.ts';
import type { NewRequest, Notify, Party, PartyKey, Recorded, RequestEvent, RequestKind, RequestRow } from './request-kind.ts';
import { commentsOf, idOf, keysSql, mayRead, numberOf, ownSql, requestOf, seenColumns, type SeenRow } from './request-rows.ts';

/** The platform, as author of void requests. */
export const platformActor = { id: 'system', displayName: 'Slipway' } as const;
const MINUTE_MS = 60_000;
export type Trx = Transaction<DB>;

const decisionWords = { APPROVED: 'approved', REJECTED: 'rejected', WITHDRAWN: 'withdrew', PENDING: 'changed' } as const;

interface Announcement extends Pick<RequestEvent, 'type'> {
  readonly request: RequestRow;
  /** Undefined if the platform acts. */
  readonly actor: { readonly id: string; readonly displayName: string } | undefined;
  /** Keys of the recipients. */
  readonly to: readonly string[];
  readonly text?: string | null | undefined;
}

export class RequestRegistry {
  readonly #kinds = new Map<string, RequestKind>();
  readonly #notify: Notify | undefined;

  /** Without `notify`, nobody is notified. */
  constructor(notify?: Notify) {
    this.#notify = notify;
  }

  /** Throws if the kind is registered already. */
  register(kind: RequestKind): void {
    if (this.#kinds.has(kind.kind)) throw new Error(`There is a kind of requests ${kind.kind} already`);
    this.#kinds.set(kind.kind, kind);
  }
  get kinds(): readonly RequestKind[] {
    return [...this.#kinds.values()];
  }
  /** Throws RequestDoesNotExist for a kind that only a later version knows. */
  kindOf({ kind }: Pick<RequestRow, 'kind'>): RequestKind {
    const found = this.#kinds.get(kind);
    if (!found) throw new Problem('RequestDoesNotExist');
    return found;
  }

  /** Returns the keys of those who act on a request: the requester's, unless it belongs to its askers alone, and theirs. */
  askersOf({ kind, askers = [] }: Pick<NewRequest, 'kind' | 'askers'>, requester: string): PartyKey[] {
    return [...(this.kindOf({ kind }).isOfAskers === true ? [] : [`person:${requester}` as const]), ...askers];
  }

  /** Returns the keys of a person beside those of teams and apps. */
  async keysOf(db: Db, party: Party): Promise<string[]> {
    const keys = [`person:${party.id}`];
    for (const kind of this.#kinds.values()) keys.push(...((await kind.keysOf?.(db, party)) ?? []));
    return keys;
  }

  /** Condition under which a person may read a request who neither asks nor decides. */
  openTo(party: Party): RawBuilder<boolean> {
    const conditions = [...Map.groupBy(this.kinds, ({ openTo }) => openTo)].flatMap(([openTo, kinds]) =>
      openTo ? [sql`(request.kind = any(${kinds.map(({ kind }) => kind)}::text[]) and ${openTo(party)})`] : [],
    );
    return conditions.length === 0 ? sql<boolean>`false` : sql<boolean>`(${sql.join(conditions, sql` or `)})`;
  }

  /** Returns a request that the caller may read. Throws RequestDoesNotExist. */
  async find(db: Db, id: string, caller: Caller): Promise<SeenRow> {
    const number = numberOf(id);
    if (number === undefined) throw new Problem('RequestDoesNotExist');
    const keys = keysSql(await this.keysOf(db, caller), [...caller.memberOf]);
    const { rows } =
      await sql<SeenRow>`select ${seenColumns({ keys, open: this.openTo(caller), caller })} from request where number = ${number}`.execute(
        db,
      );
    const [row] = rows;
    if (!row || !this.#kinds.has(row.kind) || !mayRead(row, caller)) throw new Problem('RequestDoesNotExist');
    return row;
  }
  async view(db: Db, id: string, caller: Caller): Promise<Request> {
    const row = await this.find(db, id, caller);
    const kind = this.kindOf(row);
    const request = requestOf(kind, row, caller, await commentsOf(db, row.number));
    return kind.named ? { ...request, differences: await kind.named(db, request.differences) } : request;
  }

  /** Returns whether the request is a person's own, whose kind does not let them decide it. */
  async isOwn(trx: Trx, row: RequestRow, person: string): Promise<boolean> {
    if (this.kindOf(row).mayDecideOwn === true) return false;
    const { rows } = await sql`select from request where number = ${row.number} and ${ownSql(person)}`.execute(trx);
    return rows.length > 0;
  }
  /** Returns whether a person could decide the request, by current teams and roles. */
  async couldDecide(trx: Trx, row: RequestRow, person: string): Promise<boolean> {
    if (await this.isOwn(trx, row, person)) return false;
    const identity = await trx
      .selectFrom('identity')
      .select(['id', 'type', 'is_administrator as isAdministrator'])
      .where('id', '=', person)
      .where('left_at', 'is', null)
      .executeTakeFirst();
    if (!identity) return false;
    const isAllowed = this.kindOf(row).mayDecide?.(row, { ...identity, isAutomation: false }) ?? true;
    if (isAllowed !== true || identity.isAdministrator) return isAllowed === true;
    const memberships = await trx.selectFrom('team_member').select('team_id').where('identity_id', '=', person).execute();
    const teams = memberships.map(({ team_id: team }) => team);
    const keys = keysSql(await this.keysOf(trx, { id: person, isAdministrator: false }), teams);
    const { rows } = await sql<{ is: boolean }>`select ${row.deciders}::text[] && ${keys} as is`.execute(trx);
    return rows[0]?.is ?? false;
  }

  /** Returns the keys of the people who are notified of what waits: the assignees who may still decide it, or all deciders if none may. */
  async approversOf(trx: Trx, row: RequestRow): Promise<readonly string[]> {
    const assigned: string[] = [];
    for (const id of row.assigned_to) if (await this.couldDecide(trx, row, id)) assigned.push(`person:${id}`);
    return assigned.length > 0 ? assigned : row.deciders;
  }

  /** Returns the keys of the requester and of everybody who commented, without those who may no longer read the request. */
  async involvedIn(trx: Trx, row: RequestRow): Promise<readonly string[]> {
    const rows = await trx.selectFrom('request_comment').select('by').distinct().where('request', '=', row.number).execute();
    const involved = [...new Set([row.requested_by, ...rows.map(({ by }) => by)])];
    const readers = this.kindOf(row).openTo ? involved : await this.#readersIn(trx, row, involved);
    return readers.map((id) => `person:${id}`);
  }
  async #readersIn(trx: Trx, row: RequestRow, people: readonly string[]): Promise<string[]> {
    const holders = new Set(await this.peopleOf(trx, [...row.deciders, ...row.askers]));
    const administrators = await trx
      .selectFrom('identity')
      .select('id')
      .where('is_administrator', '=', true)
      .where('id', 'in', [...people])
      .execute();
    return people.filter((id) => holders.has(id) || administrators.some((administrator) => administrator.id === id));
  }

  /** Returns why a pending row was not found: RequestChanged or RequestDecided. */
  async lost(trx: Trx, { number }: Pick<RequestRow, 'number'>): Promise<Problem> {
    const row = await trx.selectFrom('request').selectAll().where('number', '=', number).executeTakeFirstOrThrow();
    if (row.status === 'PENDING') return new Problem('RequestChanged', { context: { revision: String(row.revision) } });
    const since = row.actioned_at ?? row.requested_at;
    const context = {
      name: row.actioned_by_name ?? platformActor.displayName,
      decision: decisionWords[row.status],
      minutes: String(Math.max(0, Math.round((Date.now() - since.getTime()) / MINUTE_MS))),
      status: row.status,
    };
    return new Problem('RequestDecided', { context });
  }

  /** Records a write of the caller. `type` is the id of the route. */
  async record(trx: Trx, caller: Caller, row: RequestRow, type: string, recorded: Recorded): Promise<void> {
    await recordWrite(trx, caller, {
      type,
      reason: 'Decided',
      message: `${caller.displayName} ${decisionWords[row.status]} the request ${idOf(row)}: ${row.title}`,
      subject: this.kindOf(row).subject(row),
      before: { status: 'PENDING' },
      after: { request: idOf(row), status: row.status, comment: row.action_comment ?? undefined },
      ...recorded,
    });
  }

  /** Returns the ids of the people who hold one of the keys now. */
  async peopleOf(db: Db, keys: readonly string[]): Promise<string[]> {
    const of = (prefix: string): string[] => keys.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
    const { rows } = await sql<{ identity_id: string }>`
      select identity_id from team_member where team_id = any(${of('team:')}::text[])
        or team_id in (select team_id from app where id = any(${of('app:')}::text[]))`.execute(db);
    const people = new Set([...of('person:'), ...rows.map(({ identity_id: id }) => id)]);
    for (const key of keys.filter((one) => one.startsWith('role:')))
      for (const kind of this.#kinds.values()) for (const id of (await kind.holdersOf?.(db, key)) ?? []) people.add(id);
    return [...people].toSorted();
  }

  /** Notifies people and browsers of an event, except its actor. */
  async announce(trx: Trx, { type, request, actor, to, text }: Announcement): Promise<void> {
    await this.hint(trx, request);
    if (!this.#notify) return;
    const people = (await this.peopleOf(trx, to)).filter((id) => id !== actor?.id);
    const id = idOf(request);
    const context = {
      title: request.title,
      request: id,
      by: actor?.displayName ?? request.requested_by_name,
      due: request.due_on,
      decision: decisionWords[request.status],
      reason: request.void_reason ?? '',
      comment: text ?? '',
    };
    const path = `/requests?request=${id}`;
    await this.#notify(trx, { id: newId('rqe'), type, entity: `request:${id}`, people, actor: actor?.id, context, path });
  }
  async hint(trx: Trx, row: RequestRow): Promise<void> {
    await notifyChanges(trx, this.kindOf(row).hints(row));
  }
}
