/** The user of an account before the newest: its rules end first, since they hold for connections that are open, then its password. */
import { removeRules } from './access-rules.ts';
import { currentTurn, otherTurn, userName, type AccountDeps, type AccountRow } from './account-rows.ts';
import { hintAccount } from './passwords.ts';

export const endFormerUser = async (deps: Pick<AccountDeps, 'db' | 'streaming'>, row: AccountRow): Promise<void> => {
  if (row.turn === null || row.former_ends_at === null) return;
  const former = otherTurn(currentTurn(row));
  await removeRules(deps, row, [former]);
  await deps.streaming.closeUser(row.environment, userName(row, former));
  // Where another password came meanwhile, the former user of then is another.
  await deps.db
    .updateTable('account')
    .set({ former_hash: null, former_ends_at: null })
    .where('id', '=', row.id)
    .where('turn', '=', row.turn)
    .where('password_by', '=', row.password_by)
    .execute();
  await hintAccount(deps.db, row);
};
