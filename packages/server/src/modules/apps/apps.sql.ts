/** Rows of apps, and the app as the contract shows it. */
import { sql, type RawBuilder } from 'kysely';
import type { Application } from '@slipway/contract/application.ts';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import { memberRule, ownerRule, type Actor } from '@slipway/contract/kernel/rights.ts';
import type { Db } from '#db/database.ts';
import type { Owner } from '#kernel/http/handle.ts';
import type { Scope } from '#kernel/http/mount.ts';
import { countTotal, orderOf, pageOf } from '#kernel/page.ts';
import { matching } from '#kernel/text-search.ts';

export interface AppFilter {
  readonly teamId?: string | undefined;
  readonly identityId?: string | undefined;
  readonly macAppId?: string | undefined;
  readonly application?: string | undefined;
  readonly query?: string | undefined;
  readonly sort?: string | undefined;
  readonly page: number;
  readonly size: number;
}

const selectApps = (db: Db) =>
  db
    .selectFrom('app')
    .innerJoin('team', 'team.id', 'app.team_id')
    .select((at) => [
      'app.id',
      'app.display_name',
      'app.team_id',
      'team.display_name as team_name',
      'app.mac_id',
      'app.state',
      'app.pipeline_id',
      'app.created_at',
      'app.created_by',
      at
        .selectFrom('service')
        .whereRef('service.app_id', '=', 'app.id')
        .select((service) => service.fn.countAll<number>().as('count'))
        .as('service_count'),
    ]);
type Row = Awaited<ReturnType<ReturnType<typeof selectApps>['executeTakeFirstOrThrow']>>;

const applicationOf = (row: Row, actor: Actor): Application => {
  const owner = ownerRule(actor, row.team_id);
  const member = memberRule(actor, row.team_id);
  const services = Number(row.service_count ?? 0);
  return {
    id: row.id,
    displayName: row.display_name,
    teamId: row.team_id,
    teamName: row.team_name,
    macId: row.mac_id,
    status: { creationTimestamp: row.created_at.toISOString(), creatorIdentityId: row.created_by },
    state: row.state,
    pipelineId: row.pipeline_id,
    serviceCount: services,
    can: {
      update: owner,
      setMacId: owner === true && row.mac_id !== null ? 'MacIdAlreadySet' : owner,
      // What was never created is discarded with the services that failed with it.
      delete: owner === true && services > 0 && row.state !== 'NOT_CREATED' ? 'ExistingServices' : owner,
      createService: member === true && row.state !== 'ACTIVE' ? 'ApplicationNotCreated' : member,
      readActivity: member,
      readRegistry: member,
    },
  };
};

export const appById = async (db: Db, id: string, actor: Actor): Promise<Application | undefined> => {
  const row = await selectApps(db).where('app.id', '=', id).executeTakeFirst();
  return row && applicationOf(row, actor);
};

const columns = {
  name: 'app.id',
  id: 'app.id',
  displayName: 'app.display_name',
  createdAt: 'app.created_at',
  team: 'overview.team_name',
} as const;

const searched = { table: 'app', key: 'id', text: sql<string>`lower(app.id || E'\n' || app.display_name)` } as const;
const conditionsOf = async (db: Db, filter: AppFilter): Promise<RawBuilder<boolean>> => {
  const { teamId, identityId, macAppId, application, query } = filter;
  const conditions = [sql<boolean>`true`];
  if (teamId !== undefined) conditions.push(sql`app.team_id = ${teamId}`);
  if (identityId !== undefined) {
    conditions.push(sql`app.team_id = any (array(select team_id from team_member where identity_id = ${identityId}))`);
  }
  if (macAppId !== undefined) conditions.push(sql`app.mac_id = ${macAppId}`);
  if (application !== undefined) conditions.push(sql`app.id = ${application}`);
  if (query) conditions.push(await matching(db, searched, query));
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
};

export const appPage = async (db: Db, filter: AppFilter, actor: Actor): Promise<Page<Application>> => {
  const where = await conditionsOf(db, filter);
  const total = await countTotal(db, db.selectFrom('app').select('app.id').where(where));
  const order = orderOf(filter.sort, columns, { column: 'app.id', direction: 'asc' });
  const found = await selectApps(db)
    .innerJoin('app_overview as overview', 'overview.app_id', 'app.id')
    .where(where)
    .orderBy(order.column, order.direction)
    .orderBy('app.id', order.direction)
    .limit(filter.size)
    .offset(filter.page * filter.size)
    .execute();
  return pageOf(
    found.map((row) => applicationOf(row, actor)),
    total,
    filter,
  );
};

export interface AppFacts extends Owner {
  readonly id: string;
}

/** Whose an app is. */
export const appFacts = async (db: Db, id: string): Promise<AppFacts | undefined> => {
  const row = await db
    .selectFrom('app')
    .innerJoin('team', 'team.id', 'app.team_id')
    .select(['app.id', 'app.team_id', 'team.display_name'])
    .where('app.id', '=', id)
    .executeTakeFirst();
  return row && { id: row.id, teamId: row.team_id, teamName: row.display_name };
};

/** Routes below `{app}`. */
export const appScope = (db: Db): Scope => ({ find: ({ app = '' }) => appFacts(db, app), missing: 'ApplicationDoesNotExists' });
