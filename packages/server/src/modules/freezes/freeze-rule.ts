/** Whether production of an app is frozen, and who may override that. Writes of services ask here, beside the rule of approvals. */
import { sql } from 'kysely';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import { freezeTime, type AppFreeze, type Freeze } from '@slipway/contract/freeze.ts';
import type { PlanFreeze } from '@slipway/contract/pipeline/plan.ts';
import type { Db } from '#db/database.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';

export interface FrozenPlace {
  readonly app: string;
  readonly environment: Environment;
}
interface OpenWindow extends Freeze {
  readonly ownersMayOverride: boolean;
  readonly isOverridden: boolean;
}
type Who = Pick<Caller, 'isAdministrator' | 'ownerOf' | 'memberOf'>;

const columns = sql`freeze_window.id, name, reason, time_zone as "timeZone",
  to_char(starts_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "startsAt",
  to_char(ends_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "endsAt"`;
const isForAll = sql`team_ids = '{}' and app_ids = '{}'`;
const isFor = (app: string) =>
  sql`(${isForAll} or ${app} = any(app_ids) or (select team_id from app where app.id = ${app}) = any(team_ids))`;

/** Overrides of an app that have not ended. Excludes those of a deleted app with the same id. */
export const overridesOf = (
  app: string,
) => sql`freeze_override join app on app.id = freeze_override.app_id and freeze_override.at >= app.created_at
  where app_id = ${app} and until > clock_timestamp()`;

/** The open windows of an app, the one that ends last first. */
export const openWindows = async (db: Db, app: string): Promise<readonly OpenWindow[]> => {
  const { rows } = await sql<OpenWindow>`select ${columns}, owners_may_override as "ownersMayOverride",
      exists (select from ${overridesOf(app)} and freeze_window.id = any(window_ids)) as "isOverridden"
    from freeze_window where ended_at is null and ends_at > clock_timestamp() and starts_at <= clock_timestamp() and ${isFor(app)}
    order by ends_at desc, id`.execute(db);
  return rows;
};

export const comingWindow = async (db: Db, app: string): Promise<Freeze | undefined> => {
  const { rows } = await sql<Freeze>`select ${columns} from freeze_window
    where ended_at is null and ends_at > clock_timestamp() and starts_at > clock_timestamp() and starts_at < clock_timestamp() + interval '14 days'
      and ${isFor(app)} order by starts_at, id limit 1`.execute(db);
  return rows[0];
};

/** Windows for all of production that are open, or open within three days. The console shows them on every page. */
export const announcedFreezes = async (db: Db): Promise<readonly (Freeze & { readonly isOpen: boolean; readonly revision: number })[]> => {
  const { rows } = await sql<Freeze & { isOpen: boolean; revision: number }>`select ${columns}, revision,
      starts_at <= clock_timestamp() as "isOpen" from freeze_window
    where ended_at is null and ends_at > clock_timestamp() and starts_at < clock_timestamp() + interval '3 days' and ${isForAll}
    order by starts_at, id limit 3`.execute(db);
  return rows;
};

const blocking = async (db: Db, { app, environment }: FrozenPlace, isAutomatic: boolean): Promise<OpenWindow | undefined> => {
  if (environment !== 'production') return undefined;
  return (await openWindows(db, app)).find(({ isOverridden }) => isAutomatic || !isOverridden);
};

/** Throws ProductionFrozen. An override lets changes of people pass, and none that the platform makes by itself. */
export const refuseFrozen = async (
  db: Db,
  place: FrozenPlace,
  { isAutomatic = false, field }: { isAutomatic?: boolean; field?: string } = {},
) => {
  const found = await blocking(db, place, isAutomatic);
  if (!found) return;
  const { name, reason, endsAt, timeZone } = found;
  throw new Problem('ProductionFrozen', {
    ...(field === undefined ? {} : { field }),
    context: { name, reason, until: freezeTime(endsAt, timeZone) },
  });
};

export const overrideVerdict = (who: Who, team: string, open: readonly OpenWindow[]): AppFreeze['can']['override'] => {
  if (!open.some(({ isOverridden }) => !isOverridden)) return 'NotFrozen';
  if (who.isAdministrator) return true;
  if (!who.memberOf.has(team)) return 'NotAMember';
  if (!open.every(({ ownersMayOverride }) => ownersMayOverride)) return 'FreezeOverrideRefused';
  return who.ownerOf.has(team) ? true : 'NotAnOwner';
};

/** The part of a plan that says which window refuses the write. */
export const planFreeze = async (db: Db, who: Who, { app, environment }: FrozenPlace): Promise<{ freeze?: PlanFreeze }> => {
  if (environment !== 'production') return {};
  const open = await openWindows(db, app);
  const found = open.find(({ isOverridden }) => !isOverridden);
  if (!found) return {};
  const team = await db.selectFrom('app').select('team_id').where('id', '=', app).executeTakeFirst();
  const { name, reason, endsAt, timeZone } = found;
  return { freeze: { name, reason, endsAt, timeZone, app, canOverride: overrideVerdict(who, team?.team_id ?? '', open) === true } };
};
