/** Versions of a flag's settings in one environment: saving, restoring, and what prerequisites and groups must be. */
import { sql, type Transaction } from 'kysely';
import type * as z from 'zod/mini';
import type { Environment, Page } from '@slipway/contract/kernel/fields.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { isOfType, ruleFault, type FlagRule } from '@slipway/contract/flag/flag-rule.ts';
import {
  flagIn,
  flagResource,
  maxFlagEvaluations,
  maxFlagPatterns,
  type Flag,
  type FlagSettingsUpdate,
  type FlagSettings,
} from '@slipway/contract/flag/flag.ts';
import { transaction, type Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import type { Caller, Owner } from '#kernel/http/handle.ts';
import { countTotal, pageOf } from '#kernel/page.ts';
import { Problem } from '#kernel/problem.ts';
import { lockApp } from '#modules/apps/index.ts';
import { lockFor, recordChange, requireEntity } from '#modules/resources/index.ts';
import { flagEntity, settingsOf, type VersionRow } from './flag-entity.ts';

export interface SettingsCall {
  readonly caller: Caller;
  readonly owner: Owner;
  readonly params: { readonly app: string; readonly flag: string };
  readonly environment: Environment;
}
type Settings = Pick<FlagSettings, 'enabled' | 'value' | 'rules'>;

/** Throws if a prerequisite is missing, or if following prerequisites leads back to the flag. */
const requirePrerequisites = async (trx: Db, { params: { app, flag }, environment }: SettingsCall, rules: readonly FlagRule[]) => {
  const wanted = rules.flatMap(({ prerequisites }) => prerequisites.map((one) => one.flag));
  if (wanted.length === 0) return;
  // Locks the prerequisites, so that none is archived or deleted before this transaction commits.
  const { rows: living } = await sql<{ name: string }>`
    select name from flag where app_id = ${app} and name = any (${wanted}) and not is_archived order by name for share`.execute(trx);
  const missing = wanted.find((name) => !living.some((one) => one.name === name));
  if (missing !== undefined) throw new Problem('FlagPrerequisiteInvalid', { field: 'rules', context: { flag: missing } });
  const { rows } = await sql<{ name: string; needs: string[] | null }>`
    select flag.name, (select array_agg(needed #>> '{}') from jsonb_path_query(kept.rules, '$[*].prerequisites[*].flag') as needed) as needs
    from flag cross join lateral (select rules from flag_version where flag_id = flag.id and environment = ${environment}
      order by version desc limit 1) as kept where flag.app_id = ${app}`.execute(trx);
  const needs = new Map(rows.map((row) => [row.name, row.needs ?? []]));
  needs.set(flag, wanted);
  const seen = new Set<string>();
  const circle = (name: string, path: readonly string[]): readonly string[] | undefined => {
    if (name === flag && path.length > 0) return [...path, name];
    if (seen.has(name)) return undefined;
    seen.add(name);
    return (needs.get(name) ?? []).map((next) => circle(next, [...path, name])).find((found) => found !== undefined);
  };
  const found = circle(flag, []);
  if (found) throw new Problem('FlagPrerequisiteCycle', { field: 'rules', context: { flags: found.join(' → ') } });
  requireFewEvaluations(needs);
};

/** An SDK evaluates a prerequisite again for each rule that names it, so the work can double with each level. */
const requireFewEvaluations = (needs: ReadonlyMap<string, readonly string[]>): void => {
  const known = new Map<string, number>();
  const evaluations = (name: string): number => {
    const count = known.get(name) ?? (needs.get(name) ?? []).reduce((sum, next) => sum + 1 + evaluations(next), 0);
    known.set(name, count);
    return count;
  };
  for (const name of needs.keys())
    if (evaluations(name) > maxFlagEvaluations)
      throw new Problem('FlagLimitReached', {
        field: 'rules',
        context: {
          max: String(maxFlagEvaluations),
          what: `prerequisites below the flag ${name}, each counted once for each rule that leads to it`,
        },
      });
};

const PATTERN = '$regex';
/**
 * Throws if the flags of an app would hold too many patterns in one environment. A remote evaluation matches all of them on the server's
 * event loop, each in time that is quadratic in the text's length.
 */
const requireFewPatterns = async (trx: Db, { params: { app, flag }, environment }: SettingsCall, rules: readonly FlagRule[]) => {
  const own = JSON.stringify(rules).split(PATTERN).length - 1;
  if (own === 0) return;
  const { rows } = await sql<{ others: number }>`
    select coalesce(sum((length(kept.rules::text) - length(replace(kept.rules::text, ${PATTERN}, ''))) / length(${PATTERN})), 0)::integer as others
    from flag cross join lateral (select rules from flag_version where flag_id = flag.id and environment = ${environment}
      order by version desc limit 1) as kept where flag.app_id = ${app} and flag.name <> ${flag} and not flag.is_archived`.execute(trx);
  if (own + (rows[0]?.others ?? 0) > maxFlagPatterns)
    throw new Problem('FlagLimitReached', {
      field: 'rules',
      context: { max: String(maxFlagPatterns), what: 'patterns in the rules of all flags' },
    });
};

const requireGroups = async (trx: Db, app: string, rules: readonly FlagRule[]) => {
  const wanted = [...new Set(rules.flatMap(({ groups }) => groups.map(({ group }) => group)))];
  if (wanted.length === 0) return;
  const { rows } = await sql<{ name: string }>`
    select name from flag_group where app_id = ${app} and name = any (${wanted}) order by name for share`.execute(trx);
  const missing = wanted.find((name) => !rows.some((one) => one.name === name));
  if (missing !== undefined) throw new Problem('FlagRuleGroupMissing', { field: 'rules', context: { group: missing } });
};

interface Saving {
  readonly route: RouteShape;
  readonly basedOn: number;
  readonly reason: string;
  settings(flag: Flag, trx: Transaction<DB>): Promise<Settings & { readonly comment: string }>;
}

/** Writes the next version, unless somebody else did since `basedOn`. */
const saveVersion = (db: Db, call: SettingsCall, { route, basedOn, reason, settings }: Saving): Promise<Flag> =>
  transaction(db, async (trx) => {
    const { caller, owner, params, environment } = call;
    // One change at a time in an app: two changes together could form a circle that neither sees.
    await lockApp(trx, params.app);
    const flag = await lockFor(trx, flagEntity, { caller, names: params }, 'update');
    const before = flagIn(flag, environment);
    if (before.version !== basedOn)
      throw new Problem('FlagVersionConflict', { field: 'basedOn', context: { version: String(before.version) } });
    const { comment, ...wanted } = await settings(flag, trx);
    const type = flag.type.toLowerCase();
    if (!isOfType(flag.type, wanted.value)) throw new Problem('FlagValueInvalid', { field: 'value', context: { type } });
    const [field, code] = ruleFault(flag.type, wanted.rules) ?? [];
    if (field !== undefined && code !== undefined) throw new Problem(code, { field, context: { type } });
    await requirePrerequisites(trx, call, wanted.rules);
    await requireFewPatterns(trx, call, wanted.rules);
    await requireGroups(trx, params.app, wanted.rules);
    const by = { created_by: caller.id, created_by_name: caller.displayName };
    const version = before.version + 1;
    await sql`insert into flag_version (flag_id, environment, version, enabled, value, rules, comment, created_by, created_by_name)
      select id, ${environment}, ${version}, ${wanted.enabled}, ${JSON.stringify(wanted.value)}::jsonb, ${JSON.stringify(wanted.rules)}::jsonb,
        ${comment}, ${by.created_by}, ${by.created_by_name} from flag where app_id = ${params.app} and name = ${params.flag}`.execute(trx);
    await sql`update flag set updated_at = now(), updated_by = ${caller.id}, updated_by_name = ${caller.displayName}
      where app_id = ${params.app} and name = ${params.flag}`.execute(trx);
    await recordChange(trx, flagResource, route, {
      caller,
      names: { app: params.app, flag: params.flag },
      team: owner.teamId,
      title: flag.name,
      reason,
      message: `${caller.displayName} saved version ${version} of the flag ${flag.name} in ${environment}`,
      before: { environment, version: before.version, enabled: before.enabled, value: before.value, rules: before.rules },
      after: { environment, version, ...wanted, ...(comment === '' ? {} : { comment }) },
    });
    return requireEntity(trx, flagEntity, params, caller);
  });

export const saveSettings = (db: Db, call: SettingsCall, route: RouteShape, body: z.output<typeof FlagSettingsUpdate>): Promise<Flag> =>
  saveVersion(db, call, {
    route,
    basedOn: body.basedOn,
    reason: 'Saved',
    settings: async (flag) => {
      const { enabled, value, rules } = flagIn(flag, call.environment);
      return { enabled: body.enabled ?? enabled, value: body.value ?? value, rules: body.rules ?? rules, comment: body.comment ?? '' };
    },
  });

const rowsOf = ({ params: { app, flag }, environment }: SettingsCall) =>
  sql`flag_version kept join flag on flag.id = kept.flag_id where flag.app_id = ${app} and flag.name = ${flag} and kept.environment = ${environment}`;

const MAX_VERSION = 2_147_483_647;
export const restoreVersion = (db: Db, call: SettingsCall, route: RouteShape, text: string, basedOn: number): Promise<Flag> =>
  saveVersion(db, call, {
    route,
    basedOn,
    reason: 'Restored',
    settings: async (_flag, trx) => {
      const version = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
      if (version === 0 || version > MAX_VERSION) throw new Problem('FlagVersionDoesNotExist');
      const { rows } = await sql<VersionRow>`select kept.* from ${rowsOf(call)} and kept.version = ${version}`.execute(trx);
      if (!rows[0]) throw new Problem('FlagVersionDoesNotExist');
      const { enabled, value, rules } = rows[0];
      return { enabled, value, rules, comment: `Restored version ${version}` };
    },
  });

export const versionPage = async (db: Db, call: SettingsCall, query: { page: number; size: number }): Promise<Page<FlagSettings>> => {
  await requireEntity(db, flagEntity, call.params, call.caller);
  const total = await countTotal(db, sql`select 1 from ${rowsOf(call)}`);
  const { rows } = await sql<VersionRow>`select kept.* from ${rowsOf(call)} order by kept.version desc
    limit ${query.size} offset ${query.page * query.size}`.execute(db);
  return pageOf(rows.map(settingsOf), total, query);
};
