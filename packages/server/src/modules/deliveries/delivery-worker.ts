/**
 * Sends the deliveries that are due. A worker leases a target and sends its due deliveries, one after the other. When a target is done,
 * the worker takes the next one, so a slow receiver delays only its own targets. Targets whose last try failed get at most half of the
 * slots. If a worker dies, its lease expires and another worker continues. A delivery may then arrive twice, with the same id.
 */
import { sql, type RawBuilder } from 'kysely';
import { transaction, type Db } from '#db/database.ts';
import { newId } from '#kernel/ids.ts';
import { SweepLoop } from '#kernel/sweep-loop.ts';
import type { Log } from '#ports/log.ts';
import { nextDue, recordOutcome, sweepDeliveries, type DeliveryTables, type DueDelivery, type Outcome } from './delivery-rows.sql.ts';

/** Targets served at once: in total and per receiver (host and port). Failing targets get at most a share of both limits. */
const AT_ONCE = 64;
const AT_ONCE_BY_RECEIVER = 16;
const FAILING_SHARE = 0.5;
/** Twice the longest duration of a try. Each try renews the lease. */
const LEASE_SECONDS = 20;
/** Longest time to serve one target before others get their turn. */
const TURN_MS = 20_000;
const SWEEP_EVERY_MS = 600_000;

export interface TakenTarget {
  readonly id: string;
  readonly failing_since: Date | null;
}

/** One kind of target: its tables, and how a delivery is sent. */
export interface DeliveryKind<Target extends TakenTarget, Due extends DueDelivery, Made extends Outcome> extends DeliveryTables {
  /** SQL over a target's row: the receiver, whose slots are limited, and whether the target accepts deliveries. */
  readonly receiver: RawBuilder<string>;
  readonly isReady: RawBuilder<boolean>;
  /** SQL over a target's row: whether it belongs to an announced place. */
  inPlaces(places: readonly string[]): RawBuilder<boolean>;
  readonly keptDays: number;
  send(target: Target, due: Due): Promise<Made>;
  /**
   * Writes what else a try changes, in its transaction. `failingSince` is when the current period of failures began. Returns false if the
   * target gets no further deliveries.
   */
  onTried(trx: Db, target: Target, tried: { due: Due; made: Made; failingSince: Date | null }): Promise<boolean>;
}

export interface DeliveryWorkerOptions<Target extends TakenTarget, Due extends DueDelivery, Made extends Outcome> {
  readonly db: Db;
  readonly log: Log;
  readonly of: DeliveryKind<Target, Due, Made>;
}

interface Serving {
  readonly ended: Promise<unknown>;
  readonly receiver: string;
  readonly isFailing: boolean;
}

export class DeliveryWorker<Target extends TakenTarget, Due extends DueDelivery, Made extends Outcome> {
  readonly #options: DeliveryWorkerOptions<Target, Due, Made>;
  readonly #loop: SweepLoop;
  /** Targets being served, by id. */
  readonly #serving = new Map<string, Serving>();
  #sweptAt = 0;
  #isStopped = true;

  constructor(options: DeliveryWorkerOptions<Target, Due, Made>) {
    this.#options = options;
    this.#loop = new SweepLoop((places) => this.#sweep(places), options.log, 'Deliveries could not be sent; trying again');
  }

  start(): void {
    this.#isStopped = false;
    this.#loop.start();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#loop.stop();
    // oxlint-disable-next-line slipway/fan-out -- waits for work that is under way, and starts none
    await Promise.all([...this.#serving.values()].map(({ ended }) => ended));
  }

  /** Looks for due deliveries of this place after an announcement. */
  look(place: string): void {
    this.#loop.look(place);
  }

  /** Looks everywhere. */
  lookAround(): void {
    this.#loop.lookAround();
  }

  async #sweep(places: ReadonlySet<string> | undefined): Promise<void> {
    const { db, of } = this.#options;
    for (let taken = 1; taken > 0 && this.#serving.size < AT_ONCE && !this.#isStopped;) {
      const token = newId('lease');
      const targets = await this.#take(token, places);
      for (const target of targets) this.#begin(target, token);
      taken = targets.length;
    }
    if (Date.now() - this.#sweptAt < SWEEP_EVERY_MS) return;
    this.#sweptAt = Date.now();
    while ((await sweepDeliveries(db, of, of.keptDays)) > 0 && !this.#isStopped);
  }

  /** Leases targets with due deliveries. Working targets come first, then those that have waited longest. */
  async #take(token: string, places: ReadonlySet<string> | undefined): Promise<(Target & { receiver_name: string })[]> {
    const { db, of } = this.#options;
    const table = sql.table(of.target);
    const busy = [...this.#serving.values()];
    const failing = busy.filter(({ isFailing }) => isFailing);
    const byReceiver = (some: readonly Serving[]): string => {
      const counts = [...Map.groupBy(some, ({ receiver }) => receiver)].map(([receiver, all]) => [receiver, all.length]);
      return JSON.stringify(Object.fromEntries(counts));
    };
    const { rows } = await sql<Target & { receiver_name: string }>`with due as (
        select id, receiver_name, failing_since is not null as is_failing,
          row_number() over (partition by receiver_name order by failing_since is not null, leased_until nulls first, id) as turn,
          row_number() over (partition by receiver_name, failing_since is not null order by leased_until nulls first, id) as turn_alike,
          row_number() over (partition by failing_since is not null order by leased_until nulls first, id) as turn_of_all
        from (select *, ${of.receiver} as receiver_name from ${table}) candidate
        where ${of.isReady} and (leased_until is null or leased_until < now()) and id <> all (${[...this.#serving.keys()]})
          and ${places ? of.inPlaces([...places]) : sql`true`}
          and exists (select from ${sql.table(of.delivery)} due
            where due.${sql.ref(of.key)} = candidate.id and due.state = 'PENDING' and due.next_try_at <= now())),
      chosen as (
        select target.id, receiver_name from ${table} target join due on due.id = target.id
        where due.turn + coalesce((${byReceiver(busy)}::jsonb ->> receiver_name)::int, 0) <= ${AT_ONCE_BY_RECEIVER}
          and (not is_failing or (
            turn_alike + coalesce((${byReceiver(failing)}::jsonb ->> receiver_name)::int, 0) <= ${AT_ONCE_BY_RECEIVER * FAILING_SHARE}
            and turn_of_all + ${failing.length} <= ${AT_ONCE * FAILING_SHARE}))
          and ${of.isReady} and (leased_until is null or leased_until < now())
        order by is_failing, turn limit ${AT_ONCE - this.#serving.size} for update of target skip locked)
      update ${table} target set lease = ${token}, leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
      from chosen where chosen.id = target.id returning target.*, chosen.receiver_name`.execute(db);
    return rows;
  }

  #begin(target: Target & { receiver_name: string }, token: string): void {
    const { log } = this.#options;
    const ended = this.#serve(target, token)
      .catch((error: unknown) => log.warn({ err: error, target: target.id }, 'A delivery target could not be served; trying again'))
      .finally(() => {
        this.#serving.delete(target.id);
        this.#loop.lookAround();
      });
    this.#serving.set(target.id, { ended, receiver: target.receiver_name, isFailing: target.failing_since !== null });
  }

  async #serve({ id }: Target, token: string): Promise<void> {
    const { db, of } = this.#options;
    const end = Date.now() + TURN_MS;
    while (!this.#isStopped && Date.now() < end) {
      const target = await this.#leased(id, token);
      const due = target && (await nextDue<Due>(db, of, id));
      if (!target || !due) break;
      const made = await of.send(target, due);
      // After a failure, other targets get the slot before this one tries its next delivery.
      if (!(await this.#record(target, token, due, made)) || made.failure !== undefined) break;
    }
    await sql`update ${sql.table(of.target)} set lease = null, leased_until = null where id = ${id} and lease = ${token}`.execute(db);
  }

  /** Reads the target again, because it may have been changed, disabled or deleted since the last try. */
  async #leased(id: string, token: string): Promise<Target | undefined> {
    const { db, of } = this.#options;
    const { rows } =
      await sql<Target>`select * from ${sql.table(of.target)} where id = ${id} and lease = ${token} and ${of.isReady}`.execute(db);
    return rows[0];
  }

  /** Records a try. Returns false if this worker no longer holds the lease, or if the target gets no further deliveries. */
  #record(target: Target, token: string, due: Due, made: Made): Promise<boolean> {
    const { db, of } = this.#options;
    return transaction(db, async (trx) => {
      const { rows } = await sql<{ failing_since: Date | null }>`update ${sql.table(of.target)}
        set leased_until = now() + make_interval(secs => ${LEASE_SECONDS}),
          failing_since = ${made.failure === undefined ? null : sql`coalesce(failing_since, now())`}
        where id = ${target.id} and lease = ${token} returning failing_since`.execute(trx);
      const [row] = rows;
      if (!row) return false;
      await recordOutcome(trx, of, due, made);
      return of.onTried(trx, target, { due, made, failingSince: row.failing_since });
    });
  }
}
