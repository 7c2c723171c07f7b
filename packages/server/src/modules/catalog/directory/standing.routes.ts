/** Administrators deactivate and reactivate people in the directory that the platform keeps itself. */
import { identityStandingSet } from '@slipway/contract/directory-standing.ts';
import type { Db } from '#db/database.ts';
import { handle, type Handler } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { recordWrite } from '#modules/activity/index.ts';
import type { Directory } from '#ports/directory.ts';
import { followPerson } from './leavers.ts';

/** Clients may know the general code. */
const unknownUser = (): Problem => new Problem('AzureADAzureADUserDoesNotExist', { also: 'MISSING_RESOURCE' });

export const standingRoutes = (db: Db, directory: Directory, endSessions: ((id: string) => Promise<void>) | undefined): Handler[] => {
  const standing = async (id: string) => {
    const row = await db.selectFrom('identity').select('left_at').where('id', '=', id).where('type', '=', 'USER').executeTakeFirst();
    if (!row) throw unknownUser();
    return { id, active: row.left_at === null };
  };
  return [
    handle(
      identityStandingSet,
      async ({ caller, params: { identityId: id }, body: { active } }) => {
        await standing(id);
        if (id === caller.id) throw new Problem('OwnStanding');
        // The log comes first: a crash after it leaves an entry without an effect, never an effect without an entry.
        const message = `${caller.displayName} ${active ? 'reactivated' : 'deactivated'} ${id}`;
        await recordWrite(db, caller, { type: identityStandingSet.id, reason: 'Directory', message, after: { id, active } });
        if (!(await directory.setActive(id, active))) throw unknownUser();
        // The next pass over the directory repeats this after a crash.
        await followPerson(db, directory, id);
        if (!active) await endSessions?.(id);
        return standing(id);
      },
      ({ params }) => standing(params.identityId),
    ),
  ];
};
