/** Links between apps and applications of the catalog. The apps area sets them; an application has one app at most. */
import type { Transaction } from 'kysely';
import { applicationMacIdSet } from '@slipway/contract/application.ts';
import type { Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { recordEntry } from './entry-change.ts';

/** Requires an active application without another app, and on the given platform if any. */
export const checkLink = async (trx: Db, macId: string, app: string, macPlatformId?: string): Promise<void> => {
  const entry = await trx
    .selectFrom('catalog_entry')
    .select(['status', 'platform_id'])
    .where('id', '=', macId)
    .where('kind', '=', 'application')
    .executeTakeFirst();
  if (!entry || entry.status === 'REJECTED') throw new Problem('MacIdDoesNotExist', { field: 'macId' });
  if (entry.status !== 'ACTIVE') throw new Problem('MacIdNotActive', { field: 'macId' });
  if (macPlatformId !== undefined && macPlatformId !== entry.platform_id)
    throw new Problem('MacIdOnOtherPlatform', { field: 'macPlatformId', context: { macId, platform: entry.platform_id ?? 'none' } });
  const other = await trx.selectFrom('app').select('id').where('mac_id', '=', macId).where('id', '!=', app).executeTakeFirst();
  if (other) throw new Problem('MacIdInUse', { field: 'macId' });
};

/** Records the link in the application's history. Call it in the transaction that links the app. */
export const noteLink = (trx: Transaction<DB>, caller: Caller, macId: string, app: string): Promise<void> =>
  recordEntry(trx, caller, { id: macId, kind: 'application' }, applicationMacIdSet, {
    reason: 'Linked',
    message: `${caller.displayName} linked the app ${app}`,
    after: { app },
  });
