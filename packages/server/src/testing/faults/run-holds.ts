/**
 * Stops pipeline runs at chosen points, from inside the database: the step's work is done, but the row that says so waits for a lock.
 * Whoever is killed then dies exactly there.
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { TestConnection } from '@slipway/postgres/testing/test-server.ts';
import { PATIENCE_MS } from '#testing/patience.ts';

/** `end`: the step is done, and about to be recorded. `undo`: it was taken back, and that is about to be recorded. */
export interface HoldPoint {
  readonly code: string;
  readonly at: 'end' | 'undo';
}

const LOCK = 471_147;
const INSTALL = `
  create table test_hold (code text not null, at text not null);
  create function test_hold() returns trigger language plpgsql as $$ begin
    perform pg_advisory_xact_lock_shared(${LOCK}) from test_hold
      where code = new.code and at = case when new.undone_at is null then 'end' else 'undo' end;
    return new;
  end $$;
  create trigger test_hold before update on pipeline_step for each row
    when ((old.state = 'RUNNING' and new.state in ('COMPLETED', 'SKIPPED')) or (old.undone_at is null and new.undone_at is not null))
    execute function test_hold()`;

export class RunHolds {
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async install(connection: TestConnection): Promise<RunHolds> {
    const client = new pg.Client({ ...connection });
    await client.connect();
    await client.query(INSTALL);
    return new RunHolds(client);
  }

  /** From now on every run stops there. */
  async hold({ code, at }: HoldPoint): Promise<void> {
    await this.#client.query('select pg_advisory_lock($1)', [LOCK]);
    await this.#client.query('insert into test_hold values ($1, $2)', [code, at]);
  }

  /** Resolves when so many runs stand there. */
  async untilHeld(runs: number): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    for (let held = 0; held < runs;) {
      held = (await this.#waiting()).length;
      if (Date.now() > deadline) throw new Error(`Only ${held} of ${runs} runs came to where they are held`);
      await delay(5);
    }
  }

  /** Those that are held go on. */
  async release(): Promise<void> {
    await this.#client.query('delete from test_hold');
    await this.#client.query('select pg_advisory_unlock_all()');
  }

  /**
   * Ends the sessions of the held writes. These writes came from a process that is gone,
   * and the database must not write them after its death.
   */
  async forget(): Promise<void> {
    for (const pid of await this.#waiting()) await this.#client.query('select pg_terminate_backend($1, 5000)', [pid]);
    await this.release();
  }

  async close(): Promise<void> {
    await this.#client.end();
  }

  async #waiting(): Promise<number[]> {
    const { rows } = await this.#client.query<{ pid: number }>(
      `select pid from pg_locks where locktype = 'advisory' and objid = $1 and not granted
        and database = (select oid from pg_database where datname = current_database())`,
      [LOCK],
    );
    return rows.map(({ pid }) => pid);
  }
}
