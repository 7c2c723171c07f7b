/**
 * Checks every account periodically: whether its rules and users on the cluster are correct, whether a former user has expired, and whether
 * a password that nobody took must be deleted. Workers claim accounts by row.
 */
import { sql } from 'kysely';
import { transaction, type Db } from '#db/database.ts';
import type { Rounds } from '#kernel/rounds.ts';
import { eachByItself } from '#kernel/rows/unreadable.ts';
import { watchRows, type WatchTimings } from '#modules/resources/index.ts';
import type { Log } from '#ports/log.ts';
import { compareAll, isDrift, type Compared } from './access-rules.ts';
import type { AccountDeps, AccountRow } from './account-rows.ts';
import { endFormerUser, forgetWaiting, hintAccount } from './passwords.ts';

type Deps = Pick<AccountDeps, 'db' | 'streaming'>;

export interface AccountTimings extends WatchTimings {
  /** Time limit for trying a new password: all brokers of a cluster know it within moments. */
  readonly signInMs: number;
}
export const accountTimings: AccountTimings = { tickMs: 2000, everyMs: 45_000, signInMs: 5000 };
/** Maximum number of accounts per round. One request reads all rules of the cluster for them. */
const AT_ONCE = 1000;

/** Stores the results, by account id, and notifies viewers of accounts whose drift changed. */
export const noteCompared = async (db: Db, rows: readonly AccountRow[], compared: ReadonlyMap<string, Compared>): Promise<void> => {
  const seen = rows.flatMap((row) => {
    const found = compared.get(row.id);
    return found ? [{ row, drift: isDrift(found) ? ('DRIFT' as const) : ('NONE' as const) }] : [];
  });
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

/** A pipeline that changes an account's rules would look like drift. */
const isAtRest = sql`state = 'ACTIVE' and turn is not null and not exists (select from pipeline_run
  where subject = 'account:' || account.app_id || '/' || account.environment || '/' || account.name
    and pipeline_run.state in ('QUEUED', 'PENDING', 'RUNNING'))`;
const hasEndedUser = sql`coalesce(former_ends_at <= now(), false)`;

export const accountWatcher = (deps: Deps, log: Log, given: Partial<AccountTimings> = {}): Rounds => {
  const timings = { ...accountTimings, ...given };
  return watchRows<AccountRow, 'environment'>(deps.db, log, {
    ...timings,
    table: 'account',
    where: sql`${hasEndedUser} or (${isAtRest})`,
    soon: { everyMs: timings.tickMs, when: hasEndedUser },
    engine: 'environment',
    batch: AT_ONCE,
    also: () => forgetWaiting(deps.db),
    observe: async (rows, _environment, signal) => {
      const { ended = [], others = [] } = Object.groupBy(rows, ({ former_ends_at: at }) => (at && at <= new Date() ? 'ended' : 'others'));
      const turns = [
        ...ended.map((row) => async () => (signal.aborted ? undefined : endFormerUser(deps, row))),
        async () => noteCompared(deps.db, others, await compareAll(deps, others)),
      ];
      await eachByItself(turns, (turn) => turn());
    },
    warning: 'The accounts could not be compared with the cluster; trying again',
  });
};
