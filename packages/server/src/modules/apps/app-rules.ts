/** Rules for an app's owner and macId, and the row that reserves its name. */
import type { Transaction } from 'kysely';
import type { ApplicationCreate } from '@slipway/contract/application.ts';
import { memberRule } from '@slipway/contract/kernel/rights.ts';
import type { Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { checkLink, noteLink } from '#modules/catalog/index.ts';
import { releaseApp } from '#modules/requests/index.ts';

export const checkTeam = async (trx: Db, caller: Caller, teamId: string): Promise<void> => {
  // A shared lock keeps the team from being deleted meanwhile.
  const team = await trx.selectFrom('team').select(['display_name', 'state']).where('id', '=', teamId).forShare().executeTakeFirst();
  if (!team || team.state === 'DELETING' || team.state === 'NOT_CREATED') throw new Problem('TeamDoesNotExist', { field: 'teamId' });
  if (memberRule(caller, teamId) !== true) throw new Problem('NotAMember', { field: 'teamId', context: { team: team.display_name } });
};

/** Maps the unique violation when two apps request the same macId concurrently. */
export const macIdTaken = (error: unknown): never => {
  const { code, constraint } = error as { code?: string; constraint?: string };
  if (code === '23505' && constraint === 'app_mac_id_key') throw new Problem('MacIdInUse', { field: 'macId', cause: error });
  throw error;
};

/** Inserts the app's row, which reserves its name. `state` is CREATING until its pipeline has finished. */
export const reserveApp = async (trx: Transaction<DB>, caller: Caller, wanted: ApplicationCreate): Promise<boolean> => {
  await checkTeam(trx, caller, wanted.teamId);
  if (wanted.macId) await checkLink(trx, wanted.macId, wanted.id);
  const row = await trx
    .insertInto('app')
    .values({
      id: wanted.id,
      display_name: wanted.displayName,
      team_id: wanted.teamId,
      mac_id: wanted.macId ?? null,
      state: 'CREATING',
      created_by: caller.id,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst()
    .catch(macIdTaken);
  if (!row) return false;
  if (wanted.macId) await noteLink(trx, caller, wanted.macId, wanted.id);
  // A former app with this name may have belonged to another team, whose pipelines and requests are not those of this app.
  await trx.updateTable('pipeline').set({ team_id: null }).where('app_id', '=', wanted.id).execute();
  await releaseApp(trx, wanted.id);
  return true;
};
