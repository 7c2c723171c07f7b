/** Who may own an app, and which macId it may have; and the row that reserves its name. */
import type { Transaction } from 'kysely';
import type { ApplicationCreate } from '@slipway/contract/application.ts';
import { memberRule } from '@slipway/contract/kernel/rights.ts';
import type { Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';

export const checkTeam = async (trx: Db, caller: Caller, teamId: string): Promise<void> => {
  // Shared, so that the team is not deleted meanwhile.
  const team = await trx.selectFrom('team').select(['display_name', 'state']).where('id', '=', teamId).forShare().executeTakeFirst();
  if (!team || team.state === 'DELETING' || team.state === 'NOT_CREATED') throw new Problem('TeamDoesNotExist', { field: 'teamId' });
  if (memberRule(caller, teamId) !== true) throw new Problem('NotAMember', { field: 'teamId', context: { team: team.display_name } });
};

export const checkMacId = async (trx: Db, macId: string, app: string): Promise<void> => {
  const entry = await trx.selectFrom('catalogue_entry').select('id').where('id', '=', macId).executeTakeFirst();
  if (!entry) throw new Problem('MacIdDoesNotExist', { field: 'macId' });
  const other = await trx.selectFrom('app').select('id').where('mac_id', '=', macId).where('id', '!=', app).executeTakeFirst();
  if (other) throw new Problem('MacIdInUse', { field: 'macId' });
};

/** Two apps asked for one macId at the same time. */
export const macIdTaken = (error: unknown): never => {
  const { code, constraint } = error as { code?: string; constraint?: string };
  if (code === '23505' && constraint === 'app_mac_id_key') throw new Problem('MacIdInUse', { field: 'macId', cause: error });
  throw error;
};

/** The app's row, reserved by its name. `state` CREATING until its pipeline is through. */
export const reserveApp = async (trx: Transaction<DB>, caller: Caller, wanted: ApplicationCreate): Promise<boolean> => {
  await checkTeam(trx, caller, wanted.teamId);
  if (wanted.macId) await checkMacId(trx, wanted.macId, wanted.id);
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
  // An earlier app of this name may have been another team's: nobody of it may re-run its pipelines here.
  await trx.updateTable('pipeline').set({ team_id: null }).where('app_id', '=', wanted.id).execute();
  return true;
};
