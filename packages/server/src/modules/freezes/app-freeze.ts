/** Freezes of one app in production, and their override with a reason. */
import { sql, type Selectable } from 'kysely';
import { overrideMinutes, type AppFreeze, type Freeze } from '@slipway/contract/freeze.ts';
import { memberRule } from '@slipway/contract/kernel/rights.ts';
import { subjectKey } from '@slipway/contract/kinds.ts';
import { transaction, type Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { newId } from '#kernel/ids.ts';
import { Problem } from '#kernel/problem.ts';
import { recordWrite } from '#modules/activity/index.ts';
import { appFacts, appSubject } from '#modules/apps/index.ts';
import { notify } from '#modules/notifications/index.ts';
import { comingWindow, openWindows, overridesOf, overrideVerdict, type FrozenPlace } from './freeze-rule.ts';

const teamOf = async (db: Db, app: string): Promise<string> => {
  const facts = await appFacts(db, app);
  if (!facts) throw new Problem('ApplicationDoesNotExists');
  return facts.teamId;
};
const shown = ({ id, name, reason, startsAt, endsAt, timeZone }: Freeze): Freeze => ({ id, name, reason, startsAt, endsAt, timeZone });

export const appFreeze = async (db: Db, caller: Caller, { app, environment }: FrozenPlace): Promise<AppFreeze> => {
  if (environment !== 'production') return { open: null, coming: null, override: null, can: { override: 'NotFrozen' } };
  const open = await openWindows(db, app);
  const [last] = open;
  const team = await teamOf(db, app);
  // The reason is in the activity log, which only members read.
  const isMember = memberRule(caller, team) === true;
  const coming = await comingWindow(db, app);
  const { rows } = await sql<Selectable<DB['freeze_override']>>`select freeze_override.* from ${overridesOf(app)}
    order by until desc limit 1`.execute(db);
  const [override] = rows;
  return {
    open: last ? shown(last) : null,
    coming: coming ? shown(coming) : null,
    override:
      isMember && last && override && open.every(({ isOverridden }) => isOverridden)
        ? { by: override.by_name, reason: override.reason, at: override.at.toISOString(), until: override.until.toISOString() }
        : null,
    can: { override: overrideVerdict(caller, team, open) },
  };
};

/** Throws NotFrozen, FreezeOverrideRefused or NotAnOwner. */
export const overrideFreeze = (db: Db, caller: Caller, place: FrozenPlace, reason: string): Promise<AppFreeze> =>
  transaction(db, async (trx) => {
    const { app, environment } = place;
    const open = environment === 'production' ? await openWindows(trx, app) : [];
    const team = await teamOf(trx, app);
    const verdict = overrideVerdict(caller, team, open);
    if (verdict !== true) throw new Problem(verdict);
    const id = newId('fro');
    const until = sql<Date>`clock_timestamp() + make_interval(mins => ${overrideMinutes})`;
    await trx
      .insertInto('freeze_override')
      .values({ id, app_id: app, window_ids: open.map((one) => one.id), reason, until, by_id: caller.id, by_name: caller.displayName })
      .execute();
    const subject = appSubject(app, team);
    const name = open.map((one) => one.name).join(', ');
    await recordWrite(trx, caller, {
      type: 'freezeOverrideCreate',
      reason: 'Overridden',
      message: `${caller.displayName} overrides the freeze ${name} for ${app}, for ${overrideMinutes} minutes: ${reason}`,
      subject,
      after: { windows: open.map((one) => one.id), reason },
    });
    await notify(trx, {
      id: `freeze.overridden:${id}`,
      type: 'freeze.overridden',
      entity: subjectKey(subject),
      team,
      actor: caller.id,
      context: { by: caller.displayName, app, name, reason },
      path: `/app/${app}/production`,
    });
    return appFreeze(trx, caller, place);
  });
