/** Defines flags for the resource kernel. */
import { sql } from 'kysely';
import type * as z from 'zod/mini';
import { environments } from '@slipway/contract/kernel/fields.ts';
import { memberRule } from '@slipway/contract/kernel/rights.ts';
import { isOfType, type FlagType } from '@slipway/contract/flag/flag-rule.ts';
import {
  flagResource,
  maxFlags,
  staleAfterDays,
  staleOf,
  unusedAfterDays,
  type Flag,
  type FlagCreate,
  type FlagSettings,
  type FlagUpdate,
} from '@slipway/contract/flag/flag.ts';
import { keepOmitted } from '@slipway/contract/resource.ts';
import type { Db } from '#db/database.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { newId } from '#kernel/ids.ts';
import { Problem } from '#kernel/problem.ts';
import { lockApp } from '#modules/apps/index.ts';
import type { Entity, ListQuery, Write } from '#modules/resources/index.ts';

export interface VersionRow {
  readonly version: number;
  readonly enabled: boolean;
  readonly value: unknown;
  readonly rules: FlagSettings['rules'];
  readonly comment: string;
  readonly created_at: string | Date;
  readonly created_by: string;
  readonly created_by_name: string;
}
interface Row {
  readonly name: string;
  readonly app_id: string;
  readonly team_id: string;
  readonly description: string;
  readonly type: FlagType;
  readonly is_archived: boolean;
  readonly development: VersionRow;
  readonly production: VersionRow;
  readonly dependents: string[];
  readonly last_requested_at: Date | null;
  readonly created_at: Date;
  readonly created_by: string;
  readonly created_by_name: string;
  readonly updated_at: Date;
  readonly updated_by: string;
  readonly updated_by_name: string;
}

const newest = sql.raw(
  '(select max(version) from flag_version newest where newest.flag_id = kept.flag_id and newest.environment = kept.environment)',
);
/** Names of the app's flags whose current rules contain this part. */
export const flagsUsing = (app: string, part: ReturnType<typeof sql>) => sql`(select coalesce(jsonb_agg(distinct other.name), '[]')
  from flag other join flag_version kept on kept.flag_id = other.id
  where other.app_id = ${sql.ref(app)} and kept.version = ${newest} and kept.rules @> jsonb_build_array(${part}))`;

const current = (environment: string) => sql`(select to_jsonb(kept) from flag_version kept
  where kept.flag_id = flag.id and kept.environment = ${sql.lit(environment)} order by kept.version desc limit 1)`;
const lastRequest = sql`(select max(requested_at) from flag_key where flag_key.app_id = flag.app_id)`;
const columns = sql`flag.*, app.team_id, ${current('development')} as development, ${current('production')} as production,
  ${flagsUsing('flag.app_id', sql`jsonb_build_object('prerequisites', jsonb_build_array(jsonb_build_object('flag', flag.name)))`)} as dependents,
  ${lastRequest} as last_requested_at`;

/** The SQL of `staleOf`. */
const isStale = sql<boolean>`(not flag.is_archived and (not exists (
    select from flag_version kept where kept.flag_id = flag.id and kept.version = ${newest}
      and (kept.created_at >= now() - make_interval(days => ${sql.lit(staleAfterDays)})
        or (kept.enabled and jsonb_path_exists(kept.rules, '$[*] ? (@.enabled == true)'))))
  or (flag.created_at < now() - make_interval(days => ${sql.lit(unusedAfterDays)})
    and coalesce(${lastRequest}, flag.created_at) < now() - make_interval(days => ${sql.lit(unusedAfterDays)}))))`;

export const settingsOf = (row: VersionRow): FlagSettings => ({
  version: row.version,
  enabled: row.enabled,
  value: row.value,
  rules: row.rules,
  comment: row.comment,
  changedAt: new Date(row.created_at).toISOString(),
  changedBy: { id: row.created_by, displayName: row.created_by_name },
});

const toView = (row: Row, caller: Caller): Flag => {
  const member = memberRule(caller, row.team_id);
  const kept = member === true && row.dependents.length > 0 ? 'FlagIsPrerequisite' : member;
  const facts = {
    isArchived: row.is_archived,
    development: settingsOf(row.development),
    production: settingsOf(row.production),
    createdAt: row.created_at.toISOString(),
    lastRequestedAt: row.last_requested_at?.toISOString() ?? null,
  };
  return {
    ...facts,
    name: row.name,
    app: row.app_id,
    description: row.description,
    type: row.type,
    dependents: row.dependents,
    stale: staleOf(facts, new Date()),
    createdBy: { id: row.created_by, displayName: row.created_by_name },
    updatedAt: row.updated_at.toISOString(),
    updatedBy: { id: row.updated_by, displayName: row.updated_by_name },
    can: { update: member, archive: kept, delete: kept },
  };
};

const emptyValues: Readonly<Record<FlagType, unknown>> = { BOOLEAN: false, STRING: '', NUMBER: 0, JSON: {} };

/** Locks the app, so that concurrent creations do not exceed the limit. */
export const requireRoom = async (trx: Db, app: string, table: 'flag' | 'flag_group', max: number, what: string): Promise<void> => {
  await lockApp(trx, app);
  const { kept } = await trx
    .selectFrom(table)
    .select((at) => at.fn.countAll<number>().as('kept'))
    .where('app_id', '=', app)
    .executeTakeFirstOrThrow();
  if (Number(kept) >= max) throw new Problem('FlagLimitReached', { context: { max: String(max), what } });
};

const insert = async ({ trx, caller, names, wanted }: Write<z.output<typeof FlagCreate>>) => {
  const { app = '' } = names;
  const { name, description, type, value = emptyValues[type] } = wanted;
  if (!isOfType(type, value)) throw new Problem('FlagValueInvalid', { field: 'value', context: { type: type.toLowerCase() } });
  await requireRoom(trx, app, 'flag', maxFlags, 'flags');
  const by = { created_by: caller.id, created_by_name: caller.displayName };
  const row = await trx
    .insertInto('flag')
    .values({ id: newId('flag'), app_id: app, name, description, type, ...by, updated_by: caller.id, updated_by_name: caller.displayName })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!row) return undefined;
  const settings = { flag_id: row.id, version: 1, enabled: true, value: JSON.stringify(value), rules: '[]', comment: '', ...by };
  await trx
    .insertInto('flag_version')
    .values(environments.map((environment) => ({ ...settings, environment })))
    .execute();
  return { after: { name, description, type, value } };
};

const update = async ({
  trx,
  caller,
  names,
  before,
  wanted,
}: Write<{ description: string; isArchived: boolean }> & { readonly before: Flag }) => {
  const { description, isArchived } = wanted;
  if (isArchived && !before.isArchived && before.can['archive'] !== true) throw new Problem('FlagIsPrerequisite', { field: 'isArchived' });
  await trx
    .updateTable('flag')
    .set({ description, is_archived: isArchived, updated_at: new Date(), updated_by: caller.id, updated_by_name: caller.displayName })
    .where('app_id', '=', names['app'] ?? '')
    .where('name', '=', names['flag'] ?? '')
    .execute();
  const verb = isArchived ? 'archived' : 'brought back';
  return isArchived === before.isArchived
    ? {}
    : { reason: isArchived ? 'Archived' : 'Unarchived', message: `${caller.displayName} ${verb} the flag ${before.name}` };
};

export const flagEntity: Entity<
  Flag,
  Row,
  z.output<typeof FlagCreate>,
  { description: string; isArchived: boolean },
  ListQuery & { readonly state?: string }
> = {
  resource: flagResource,
  table: 'flag',
  key: { app: 'app_id', flag: 'name' },
  columns,
  from: sql`flag join app on app.id = flag.app_id`,
  sort: { name: 'name', createdAt: 'created_at', updatedAt: 'updated_at' },
  search: ['name', 'description'],
  filter: ({ state }) => {
    if (state === undefined) return [];
    return [state === 'STALE' ? isStale : sql<boolean>`flag.is_archived = ${state === 'ARCHIVED'}`];
  },
  toView,
  title: ({ name }) => name,
  create: { name: ({ name }) => name, field: 'name', insert },
  complete: ({ description, isArchived }, changes: z.output<typeof FlagUpdate>) => keepOmitted({ description, isArchived }, changes),
  update,
  before: ({ name, description, type, isArchived }) => ({ name, description, type, isArchived }),
};
