/**
 * Looks at every account again and again: whether its rules and users on the cluster are those that it should have, whether a former user has
 * come to its end, and whether a password that nobody took is to be forgotten. Workers take turns by the rows.
 */
import { sql } from 'kysely';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import { transaction, type Db } from '#db/database.ts';
import { eachByItself } from '#kernel/rows/unreadable.ts';
import type { Log } from '#ports/log.ts';
import { inEachEnvironment, Rounds } from '../rounds.ts';
import { compareAll, isDrift, type Compared } from './access-rules.ts';
import type { AccountDeps, AccountRow } from './account-rows.ts';
import { endFormerUser } from './former-user.ts';
import { forgetWaiting, hintAccount } from './passwords.ts';

type Deps = Pick<AccountDeps, 'db' | 'streaming'>;

export interface AccountTimings {
  readonly tickMs: number;
  /** Between two looks at the same account. */
  readonly everyMs: number;
  /** For how long a new password is tried: a cluster of several brokers learns of it within moments. */
  readonly signInMs: number;
}
export const accountTimings: AccountTimings = { tickMs: 2000, everyMs: 45_000, signInMs: 5000 };
/** All rules of the cluster are read once for so many. */
const AT_ONCE = 1000;
const ENDED_AT_ONCE = 50;

interface Look {
  readonly row: AccountRow;
  readonly compared: Compared;
}
/** Whoever shows one hears when it is another than before. */
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

/** Claimed in the statement that finds them: no other worker looks at the same for now. One that a pipeline works on is looked at later. */
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
