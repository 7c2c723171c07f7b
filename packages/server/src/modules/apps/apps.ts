/** Apps: their rows in the contract's shape, allowed changes, and their area. */
import { sql, type Transaction } from 'kysely';
import type * as z from 'zod/mini';
import {
  applicationMacIdSet,
  applicationResource,
  applicationWaiting,
  type Application,
  type ApplicationCreate,
  type ApplicationUpdate,
} from '@slipway/contract/application.ts';
import { memberRule, ownerRule } from '@slipway/contract/kernel/rights.ts';
import { transaction, type Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { handle, type Caller } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { checkLink, noteLink } from '#modules/catalog/index.ts';
import {
  lockEntity,
  recordChange,
  requireEntity,
  resourceModule,
  type AreaOf,
  type Asked,
  type Entity,
  type EntityInput,
  type ListQuery,
  type Write,
} from '#modules/resources/index.ts';
import { checkTeam, macIdTaken, reserveApp, type WantedApp } from './app-rules.ts';
import { appScope } from './app-scope.ts';
import { deletionSteps, registryProjectStep, type AppEngines } from './app-steps.ts';
import { overviewRoutes } from './overview.routes.ts';

interface Row {
  readonly id: string;
  readonly display_name: string;
  readonly team_id: string;
  readonly team_name: string;
  readonly mac_id: string | null;
  readonly state: Application['state'];
  readonly pipeline_id: string | null;
  readonly created_at: Date;
  readonly created_by: string;
  readonly services: number;
  readonly has_databases: boolean;
  readonly has_topics: boolean;
}
interface AppQuery extends ListQuery {
  readonly teamId?: string | undefined;
  readonly identityId?: string | undefined;
  readonly macAppId?: string | undefined;
  readonly application?: string | undefined;
}
type Update = z.infer<typeof ApplicationUpdate>;

/** An app that was never created can be discarded together with the services that failed with it. */
const keptBy = ({
  services,
  state,
  has_databases,
  has_topics,
}: Row): 'ExistingServices' | 'ExistingDatabases' | 'ExistingTopics' | true => {
  if (services > 0 && state !== 'NOT_CREATED') return 'ExistingServices';
  if (has_databases) return 'ExistingDatabases';
  return has_topics ? 'ExistingTopics' : true;
};

const toView = (row: Row, caller: Caller): Application => {
  const owner = ownerRule(caller, row.team_id);
  const member = memberRule(caller, row.team_id);
  return {
    id: row.id,
    displayName: row.display_name,
    teamId: row.team_id,
    teamName: row.team_name,
    macId: row.mac_id,
    metadata: { name: row.id },
    spec: { displayName: row.display_name, teamRef: { name: row.team_id }, macAppId: row.mac_id },
    status: { creationTimestamp: row.created_at.toISOString(), creatorIdentityId: row.created_by },
    state: row.state,
    pipelineId: row.pipeline_id,
    serviceCount: row.services,
    can: {
      update: owner,
      setMacId: owner === true && row.mac_id !== null ? 'MacIdAlreadySet' : owner,
      delete: owner === true ? keptBy(row) : owner,
      createService: member === true && row.state !== 'ACTIVE' ? 'ApplicationNotCreated' : member,
      readActivity: member,
      readRegistry: member,
    },
  };
};

const filter = ({ teamId, identityId, macAppId, application }: AppQuery) => [
  ...(teamId === undefined ? [] : [sql<boolean>`app.team_id = ${teamId}`]),
  ...(identityId === undefined
    ? []
    : [sql<boolean>`app.team_id = any (array(select team_id from team_member where identity_id = ${identityId}))`]),
  ...(macAppId === undefined ? [] : [sql<boolean>`app.mac_id = ${macAppId}`]),
  ...(application === undefined ? [] : [sql<boolean>`app.id = ${application}`]),
];

/** A macId cannot be changed once set (specification 2, §4). */
const linkMacId = async (trx: Transaction<DB>, caller: Caller, { id, macId: before }: Application, macId: string | null): Promise<void> => {
  if (before !== null || macId === null) throw new Problem('MacIdAlreadySet', { field: 'macId' });
  await checkLink(trx, macId, id);
  await trx.updateTable('app').set({ mac_id: macId }).where('id', '=', id).execute().catch(macIdTaken);
  await noteLink(trx, caller, macId, id);
};

const update = async ({ trx, caller, names, before, wanted }: Write<Update> & { before: Application }) => {
  const { app = '' } = names;
  const isMoved = before.teamId !== wanted.teamId;
  if (isMoved) await checkTeam(trx, caller, wanted.teamId);
  if (wanted.macId !== undefined && wanted.macId !== before.macId) await linkMacId(trx, caller, before, wanted.macId);
  await trx.updateTable('app').set({ display_name: wanted.displayName, team_id: wanted.teamId }).where('id', '=', app).execute();
  // The right to control its pipelines moves with the app.
  await trx
    .updateTable('pipeline')
    .set({ team_id: wanted.teamId })
    .where('app_id', '=', app)
    .where('team_id', '=', before.teamId)
    .execute();
  return {
    reason: isMoved ? 'TeamChanged' : 'Renamed',
    message: isMoved ? `${caller.displayName} moved ${app} to the team ${wanted.teamId}` : `${caller.displayName} renamed ${app}`,
    before: { displayName: before.displayName, teamId: before.teamId },
  };
};

export const appEntity: Entity<Application, Row, WantedApp, Update, AppQuery> = {
  resource: applicationResource,
  waiting: applicationWaiting,
  table: 'app',
  key: { app: 'id' },
  columns: sql`app.*, team.display_name as team_name, (select count(*)::integer from service where service.app_id = app.id) as services,
    exists (select from database where database.app_id = app.id) as has_databases,
    (exists (select from topic where topic.app_id = app.id) or exists (select from event_schema where event_schema.app_id = app.id)
      or exists (select from account where account.app_id = app.id)) as has_topics`,
  from: sql`app join team on team.id = app.team_id join app_overview overview on overview.app_id = app.id`,
  sort: { name: 'id', id: 'id', displayName: 'display_name', createdAt: 'created_at', team: 'overview.team_name' },
  search: { table: 'app', key: 'id', text: sql<string>`lower(app.id || E'\n' || app.display_name)` },
  filter,
  toView,
  title: ({ id }) => id,
  teamOf: ({ teamId }) => teamId,
  create: {
    // Version 2 of the specification also accepts the macId and its platform in the query.
    prepare: async ({ wanted, query }: Asked<ApplicationCreate, { readonly macAppId?: string; readonly macPlatformId?: string }>) => ({
      ...wanted,
      macId: wanted.macId ?? query.macAppId,
      macPlatformId: query.macPlatformId,
    }),
    name: ({ id }) => id,
    field: 'id',
    insert: async ({ trx, caller, wanted }) => ((await reserveApp(trx, caller, wanted)) ? { team: wanted.teamId } : undefined),
  },
  update,
  before: ({ displayName, teamId, macId }) => ({ displayName, teamId, macId }),
  rights: { create: { role: 'member' }, write: { role: 'owner' } },
};

const setMacId = (db: Db, caller: Caller, names: { readonly app: string }, macId: string): Promise<Application> =>
  transaction(db, async (trx) => {
    await lockEntity(trx, appEntity, names);
    const app = await requireEntity(trx, appEntity, names, caller);
    const { id, teamId } = app;
    await linkMacId(trx, caller, app, macId);
    await recordChange(trx, applicationResource, applicationMacIdSet, {
      caller,
      names,
      team: teamId,
      title: id,
      reason: 'MacIdSet',
      message: `${caller.displayName} set the macId of ${id} to ${macId}`,
      after: { macId },
    });
    return requireEntity(trx, appEntity, names, caller);
  });

export const appArea: AreaOf = ({ database: { db }, engine, adapters: { registry, source } }) => {
  const engines: AppEngines = { db, registry, source };
  const steps = { create: [registryProjectStep<EntityInput>(engines, ({ app }) => app)], remove: deletionSteps(engines) };
  const area = resourceModule({ db, engine }, { ...appEntity, steps });
  return {
    ...area,
    routes: [
      ...area.routes,
      handle(
        applicationMacIdSet,
        (c) => setMacId(db, c.caller, c.params, c.body.macId),
        (c) => requireEntity(db, appEntity, c.params, c.caller),
      ),
      ...overviewRoutes(db),
    ],
    scopes: { app: appScope(db) },
  };
};
