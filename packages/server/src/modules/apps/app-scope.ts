/** Resolves the owner of an app, for routes below `{app}` and for areas with resources inside an app. */
import { appKind } from '@slipway/contract/kinds/application.kind.ts';
import { subjectOf, type Subject } from '@slipway/contract/kernel/subject.ts';
import type { Transaction } from 'kysely';
import type { Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import type { Owner } from '#kernel/http/handle.ts';
import type { Scope } from '#kernel/http/mount.ts';

export interface AppFacts extends Owner {
  readonly id: string;
}

export const appFacts = async (db: Db, id: string): Promise<AppFacts | undefined> => {
  const row = await db
    .selectFrom('app')
    .innerJoin('team', 'team.id', 'app.team_id')
    .select(['app.id', 'app.team_id', 'team.display_name'])
    .where('app.id', '=', id)
    .executeTakeFirst();
  return row && { id: row.id, teamId: row.team_id, teamName: row.display_name };
};

export const appScope = (db: Db): Scope => ({ find: ({ app = '' }) => appFacts(db, app), missing: 'ApplicationDoesNotExists' });

export const appSubject = (app: string, team: string): Subject => subjectOf(appKind, { app }, { team });

/** Locks the app's row against concurrent changes of the app or its contents. */
export const lockApp = (trx: Db, id: string) =>
  trx.selectFrom('app').select(['id', 'state']).where('id', '=', id).forUpdate().executeTakeFirst();

/**
 * Runs `work` as if the app were already created, in a transaction that holds its row. Nobody else sees the state. A quickstart reserves
 * the parts of an app that its pipeline still creates.
 */
export const asIfCreated = async (trx: Transaction<DB>, id: string, work: () => Promise<void>): Promise<void> => {
  const row = await lockApp(trx, id);
  if (!row) return;
  const set = (state: typeof row.state) => trx.updateTable('app').set({ state }).where('id', '=', id).execute();
  await set('ACTIVE');
  await work();
  await set(row.state);
};
