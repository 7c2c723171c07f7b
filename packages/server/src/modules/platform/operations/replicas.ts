/** The replicas of the platform, each with a row that its heartbeat keeps. */
import { sql } from 'kysely';
import type { Replica } from '@slipway/contract/operations.ts';
import type { Db } from '#db/database.ts';
import { newId } from '#kernel/ids.ts';
import { Rounds } from '#kernel/rounds.ts';
import type { Log } from '#ports/log.ts';

const BEAT_MS = 15_000;
/** Heartbeats of 15 seconds: after four, the replica counts as away. */
const AWAY_SECONDS = 60;
const FORGOTTEN_HOURS = 24;
const MOST = 100;

interface Self {
  readonly name: string;
  readonly version: string;
  readonly roles: readonly string[];
}

export class ReplicaHeartbeat {
  readonly id = newId('rep');
  readonly #db: Db;
  readonly #self: Self;
  readonly #startedAt = new Date();
  readonly #rounds: Rounds;

  constructor(db: Db, self: Self, log: Log) {
    this.#db = db;
    this.#self = self;
    this.#rounds = new Rounds({ everyMs: BEAT_MS, round: () => this.#beat(), log, warning: 'The heartbeat of this replica failed' });
  }

  start(): void {
    this.#rounds.start();
    this.#rounds.wake();
  }

  async stop(): Promise<void> {
    await this.#rounds.stop();
    // A replica that stops in order is not away. Without the database, its row is forgotten after a day.
    await this.#db
      .deleteFrom('platform_replica')
      .where('id', '=', this.id)
      .execute()
      .catch(() => {});
  }

  async #beat(): Promise<void> {
    const { name, version, roles } = this.#self;
    await this.#db
      .insertInto('platform_replica')
      .values({ id: this.id, name, version, roles: [...roles], started_at: this.#startedAt })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: sql`now()` }))
      .execute();
    await sql`delete from platform_replica where seen_at < now() - make_interval(hours => ${FORGOTTEN_HOURS})`.execute(this.#db);
  }
}

export const replicas = async (db: Db, own: string): Promise<Replica[]> => {
  const { rows } = await sql<{
    id: string;
    name: string;
    version: string;
    roles: string[];
    started_at: Date;
    seen_at: Date;
    is_alive: boolean;
    lease_since: Date | null;
  }>`select platform_replica.*, seen_at > now() - make_interval(secs => ${AWAY_SECONDS}) as is_alive,
      (select since from runtime_holder where replica = platform_replica.name and runtime_holder.seen_at >= platform_replica.started_at
        order by since desc limit 1) as lease_since
    from platform_replica order by is_alive desc, name, started_at desc limit ${MOST}`.execute(db);
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    version: row.version,
    roles: row.roles,
    startedAt: row.started_at.toISOString(),
    seenAt: row.seen_at.toISOString(),
    isAlive: row.is_alive,
    isThis: row.id === own,
    leaseSince: row.is_alive ? (row.lease_since?.toISOString() ?? null) : null,
  }));
};
