/**
 * Checks every account periodically: whether its rules and users on the cluster are correct, whether a former user has expired, and whether
 * a password that nobody took must be deleted. Workers claim accounts by row.
 */
import { sql } from 'kysely';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import { transaction, type Db } from '#db/database.ts';
import { eachByItself } from '#kernel/rows/unreadable.ts';
import type { Log } from '#ports/log.ts';
import { inEachEnvironment, Rounds } from '../rounds.ts';
import { compareAll, isDrift, type Compared } from './access-rules.ts';
import type { AccountDeps, AccountRow } from './account-rows.ts';
import { endFormerUser, forgetWaiting, hintAccount } from './passwords.ts';

type Deps = Pick<AccountDeps, 'db' | 'streaming'>;

export interface AccountTimings {
  readonly tickMs: number;
  /** Interval between two checks of the same account. */
  readonly everyMs: number;
  /** Time limit for trying a new password: all brokers of a cluster know it within moments. */
  readonly signInMs: number;
}
export const accountTimings: AccountTimings = { tickMs: 2000, everyMs: 45_000, signInMs: 5000 };
/** Maximum number of accounts per round. One request reads all rules of the cluster for them. */
const AT_ONCE = 1000;
const ENDED_AT_ONCE = 50;

interface Look {
  readonly row: AccountRow;
  readonly compared: Compared;
}
/** Stores the results and notifies viewers of accounts whose drift changed. */
export const noteCompared = async (db: Db, looks: readonly Look[]): Promise<void> => {
  const seen = looks.map(({ row, compared }) => ({ row, drift: isDrift(compared) ? ('DRIFT' as const) : ('NONE' as const) }));
  await transaction(db, async (trx) => {
    for (const [drift, those] of Map.groupBy(seen, (one) => one.drift))
      await trx
        .updateTable('account')
        .set({ drift, compared_at: new Date() })
        .where('id', '=', sql<string>`any (${those.map(({ row }) => row.id)})`)
        .execute();
    for (const { row, drift } of seen) if (drift !== row.drift) await hintAccount(trx, row);
  });
};

/**
 * Claims and returns the accounts to check. The query also claims them, so no other worker takes them. Skips accounts with an active
 * pipeline.
 */
const claimDue = async ({ db }: Deps, everyMs: number): Promise<AccountRow[]> => {
  const { rows } = await sql<AccountRow>`
    update account set watched_at = now() where id in (
      select id from account where state = 'ACTIVE' and turn is not null
        and watched_at < now() - ${everyMs} * interval '1 millisecond'
        and not exists (select from pipeline_run
          where subject = 'account:' || account.app_id || '/' || account.environment || '/' || account.name
            and pipeline_run.state in ('QUEUED', 'PENDING', 'RUNNING'))
      order by watched_at limit ${AT_ONCE} for update skip locked)
    returning *`.execute(db);
  return rows;
};
const withEndedUser = ({ db }: Deps, environment: Environment): Promise<AccountRow[]> =>
  db
    .selectFrom('account')
    .selectAll()
    .where('environment', '=', environment)
    .where('former_ends_at', '<=', new Date())
    .limit(ENDED_AT_ONCE)
    .execute();

const compareRows = async (deps: Deps, rows: readonly AccountRow[]): Promise<void> => {
  if (rows.length === 0) return;
  const compared = await compareAll(deps, rows);
  await noteCompared(
    deps.db,
    rows.flatMap((row) => {
      const found = compared.get(row.id);
      return found ? [{ row, compared: found }] : [];
    }),
  );
};

export const accountWatcher = (deps: Deps, log: Log, given: Partial<AccountTimings> = {}): Rounds => {
  const { tickMs, everyMs } = { ...accountTimings, ...given };
  const round = async (isStopping: () => boolean): Promise<void> => {
    await forgetWaiting(deps.db);
    const due = await claimDue(deps, everyMs);
    await inEachEnvironment(async (environment) => {
      const ended = await withEndedUser(deps, environment);
      const rows = due.filter((row) => row.environment === environment);
      const turns = [
        () => eachByItself(ended, async (row) => (isStopping() ? undefined : endFormerUser(deps, row))),
        async () => (isStopping() ? undefined : compareRows(deps, rows)),
      ];
      await eachByItself(turns, (turn) => turn());
    });
  };
  return new Rounds({ tickMs, round, log, warning: 'The accounts could not be compared with the cluster; trying again' });
};
