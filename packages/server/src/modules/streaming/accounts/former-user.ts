/** Ends an account's former user. Removes its rules first, since they also apply to open connections, then its password. */
import { removeRules } from './access-rules.ts';
import { currentTurn, otherTurn, userName, type AccountDeps, type AccountRow } from './account-rows.ts';
import { hintAccount } from './passwords.ts';

export const endFormerUser = async (deps: Pick<AccountDeps, 'db' | 'streaming'>, row: AccountRow): Promise<void> => {
  if (row.turn === null || row.former_ends_at === null) return;
  const former = otherTurn(currentTurn(row));
  await removeRules(deps, row, [former]);
  await deps.streaming.closeUser(row.environment, userName(row, former));
  // The conditions skip the update if another password was made meanwhile, since the former user is a different one then.
  await deps.db
    .updateTable('account')
    .set({ former_hash: null, former_ends_at: null })
    .where('id', '=', row.id)
    .where('turn', '=', row.turn)
    .where('password_by', '=', row.password_by)
    .execute();
  await hintAccount(deps.db, row);
};
