/** Ends a former password by hand: its time is up at once. The area's watcher closes its login within seconds. */
import type { Db } from '#db/database.ts';
import type { EntityView } from '../entity.ts';
import { changeNow, type Action, type ActionCall } from '../entity-actions.ts';
import { setEntity } from '../entity-rows.ts';

interface View extends EntityView {
  readonly credentials: { readonly former: unknown } | null;
}
/** The entity's table has the column `former_ends_at`. `titleOf` names the entity in the activity log. */
export const endFormerNow = <Of extends View>(
  db: Db,
  action: Omit<Action<Of>, 'verb'>,
  call: Omit<ActionCall, 'query'>,
  titleOf: (view: Of) => string,
): Promise<Of> =>
  changeNow(db, { ...action, verb: 'endFormerPassword' }, call, async (view, trx) => {
    await setEntity(trx, action.entity, call.params, { former_ends_at: new Date() });
    return {
      reason: 'FormerPasswordEnded',
      message: `${call.caller.displayName} ended the former password of ${titleOf(view)}`,
      before: { former: view.credentials?.former },
    };
  });
