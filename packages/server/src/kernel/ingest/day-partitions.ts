/** Partitions of one day (UTC) each. They are made ahead of time, and dropped when the retention has passed. */
import type { Pool } from 'pg';

const DAY_MS = 86_400_000;
/** Days around today: payloads may be old, and the next days are ready if no worker runs. */
const [FROM, TO] = [-1, 3];

const dayAt = (now: Date, offset: number): Date => new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS + offset * DAY_MS);
const nameOf = (parent: string, day: Date): string => `${parent}_${day.toISOString().slice(0, 10).replaceAll('-', '')}`;

/** A table that is partitioned by range of time, and the days for which its rows are kept. */
export interface DayParent {
  readonly parent: string;
  readonly retentionDays: number;
}

export class DayPartitions {
  readonly #lock: string;
  readonly #parents: readonly DayParent[];

  /** `lock` names the advisory lock under which partitions change. */
  constructor(lock: string, parents: readonly DayParent[]) {
    this.#lock = lock;
    this.#parents = parents;
  }

  async ensure(pool: Pool, now: Date): Promise<void> {
    const known = new Set(await this.#names(pool));
    const wanted = this.#parents.flatMap(({ parent }) =>
      Array.from({ length: TO - FROM + 1 }, (_, index) => ({ parent, from: dayAt(now, FROM + index), to: dayAt(now, FROM + index + 1) })),
    );
    await this.#change(
      pool,
      wanted
        .filter(({ parent, from }) => !known.has(nameOf(parent, from)))
        .map(
          ({ parent, from, to }) =>
            `create table if not exists ${nameOf(parent, from)} partition of ${parent}
              for values from ('${from.toISOString()}') to ('${to.toISOString()}')`,
        ),
    );
  }

  /** Drops partitions whose newest row is older than their retention. */
  async dropOld(pool: Pool, now: Date): Promise<void> {
    const old = (await this.#names(pool)).filter((name) => {
      const day = name.slice(-8);
      const retention = this.#parents.find(({ parent }) => name === `${parent}_${day}`)?.retentionDays ?? Infinity;
      const end = Date.parse(day.replace(/(\d{4})(\d\d)(\d\d)/, '$1-$2-$3T00:00:00Z')) + DAY_MS;
      return now.getTime() - end > retention * DAY_MS;
    });
    await this.#change(
      pool,
      old.map((name) => `drop table if exists ${name}`),
    );
  }

  async #names(pool: Pool): Promise<string[]> {
    const { rows } = await pool.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r' and relispartition
         and relname ~ ('^(' || array_to_string($1::text[], '|') || ')_[0-9]{8}$')`,
      [this.#parents.map(({ parent }) => parent)],
    );
    return rows.map(({ name }) => name);
  }

  /** Runs statements that lock the whole table. They give up soon, so that writers do not queue behind them. */
  async #change(pool: Pool, statements: readonly string[]): Promise<void> {
    for (const statement of statements) {
      // Several statements in one query are one transaction.
      await pool.query(`set local lock_timeout = '2s'; select pg_advisory_xact_lock(hashtextextended('${this.#lock}', 0)); ${statement}`);
    }
  }
}
