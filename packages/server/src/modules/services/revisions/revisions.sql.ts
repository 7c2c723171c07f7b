/** Rows of revisions, instances and their events, in the form of the contract. */
import type { Page } from '@slipway/contract/kernel/fields.ts';
import { memberRule, type Actor } from '@slipway/contract/kernel/rights.ts';
import { eventSentence } from '@slipway/contract/service/instance-event-texts.ts';
import {
  revisionActivationRule,
  revisionDeleteRule,
  revisionRollbackRule,
  type Instance,
  type Revision,
  type InstanceEvent,
  type RevisionFacts,
  type RevisionStatus,
} from '@slipway/contract/service/revision.ts';
import { sql } from 'kysely';
import type { Db } from '#db/database.ts';
import { countTotal, pageOf } from '#kernel/page.ts';
import { placeSql } from '#modules/resources/index.ts';
import { shownSpec, specFor, type ServiceKey, type ServiceLinks } from '../services.sql.ts';

const selectRevisions = (db: Db, key: ServiceKey) =>
  db
    .selectFrom('revision')
    .innerJoin('service', 'service.id', 'revision.service_id')
    .innerJoin('app', 'app.id', 'service.app_id')
    .selectAll('revision')
    .select([
      'service.app_id',
      'service.environment',
      'service.name as service_name',
      'service.serving',
      'service.active as service_active',
      'service.state as service_state',
      'app.team_id',
      sql<boolean>`exists (select 1 from pipeline_run run
        where run.subject = 'service:' || service.app_id || '/' || service.environment || '/' || service.name
          and run.state in ('QUEUED', 'PENDING', 'RUNNING'))`.as('is_busy'),
    ])
    .where(placeSql(key, 'service', key.service));
type Row = Awaited<ReturnType<ReturnType<typeof selectRevisions>['executeTakeFirstOrThrow']>>;

/** Returns the displayed status: a revision whose deploy failed stays FAILING although it no longer runs (decisions §11). */
export const statusOf = (row: { status: RevisionStatus; failed_at: Date | null }): RevisionStatus =>
  row.failed_at && row.status === 'NO_INSTANCES' ? 'FAILING' : row.status;

/** Returns the input of the revision's rules. */
export const revisionFacts = (
  revision: { readonly name: string; readonly status: RevisionStatus; readonly deleting_at: Date | null },
  service: { readonly serving: readonly string[]; readonly active: boolean; readonly state: string },
  isBusy: boolean,
): RevisionFacts => ({
  status: revision.status,
  isServing: service.serving.includes(revision.name),
  isDeleting: revision.deleting_at !== null,
  isBusy,
  isServiceActive: service.active,
  isServiceCreated: service.state === 'ACTIVE',
});

const rollbackVerdict = (row: Row): true | string => {
  if (row.service_state !== 'ACTIVE') return 'ServiceNotCreated';
  const verdict = revisionRollbackRule({ isServing: row.serving.includes(row.name), isActive: row.service_active });
  return verdict === true && row.is_busy ? 'DeployPipelineAlreadyRunning' : verdict;
};

const revisionOf = (row: Row, actor: Actor, links: ServiceLinks): Revision => {
  const { environment } = row;
  const spec = shownSpec(row.spec);
  const member = memberRule(actor, row.team_id);
  const isServing = row.serving.includes(row.name);
  const status = statusOf(row);
  const facts = revisionFacts(row, { serving: row.serving, active: row.service_active, state: row.service_state }, row.is_busy);
  const gated = (verdict: true | string) => (member === true ? verdict : member);
  return {
    name: row.name,
    number: row.number,
    app: row.app_id,
    environment,
    service: row.service_name,
    imageTag: row.image_tag,
    imageDigest: row.image_digest,
    spec: specFor(spec, member === true),
    // Only team members see the names of secret groups (decisions §9).
    secretVersions: member === true ? row.secret_versions : {},
    status,
    enabled: row.enabled,
    isServing,
    replicasWanted: row.replicas_wanted,
    replicasReady: row.replicas_ready,
    url:
      isServing && spec.exposedPort !== null
        ? links.url({ app: row.app_id, environment, service: row.service_name }, spec.externalTraffic.basePath)
        : null,
    reason: row.reason,
    pipelineId: row.pipeline_id,
    createdAt: row.created_at.toISOString(),
    createdBy: { id: row.created_by, displayName: row.created_by_name },
    can: {
      delete: gated(revisionDeleteRule(facts)),
      enable: gated(revisionActivationRule(facts, true)),
      disable: gated(revisionActivationRule(facts, false)),
      rollback: gated(rollbackVerdict(row)),
      readLogs: member,
    },
  };
};

export const revisionByName = async (
  db: Db,
  key: ServiceKey,
  name: string,
  actor: Actor,
  links: ServiceLinks,
): Promise<Revision | undefined> => {
  const row = await selectRevisions(db, key).where('revision.name', '=', name).executeTakeFirst();
  return row && revisionOf(row, actor, links);
};

export const revisionPage = async (
  db: Db,
  key: ServiceKey,
  page: { page: number; size: number },
  actor: Actor,
  links: ServiceLinks,
): Promise<Page<Revision>> => {
  const all = db
    .selectFrom('revision')
    .innerJoin('service', 'service.id', 'revision.service_id')
    .where(placeSql(key, 'service', key.service))
    .select('revision.id');
  const total = await countTotal(db, all);
  const rows = await selectRevisions(db, key)
    .orderBy('revision.number', 'desc')
    .limit(page.size)
    .offset(page.page * page.size)
    .execute();
  return pageOf(
    rows.map((row) => revisionOf(row, actor, links)),
    total,
    page,
  );
};

export const instancesOf = async (db: Db, revisionId: string): Promise<Instance[]> => {
  const rows = await db
    .selectFrom('instance')
    .innerJoin('revision', 'revision.id', 'instance.revision_id')
    .selectAll('instance')
    .select('revision.name as revision')
    .where('instance.revision_id', '=', revisionId)
    .orderBy('instance.id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    revision: row.revision,
    state: row.state,
    since: row.since.toISOString(),
    restarts: row.restarts,
    node: row.node,
    port: row.port,
    cpuMillicores: row.cpu_millicores,
    memoryMegabytes: row.memory_megabytes,
    lastExit: row.last_exit,
  }));
};

/** Returns the newest hundred events, grouped: a repeated event increases its count ("crashed 14 times"). */
export const eventsOf = async (db: Db, revisionId: string): Promise<InstanceEvent[]> => {
  const rows = await db
    .selectFrom('instance_event')
    .selectAll()
    .where('revision_id', '=', revisionId)
    .orderBy('last_at', 'desc')
    .orderBy('id', 'desc')
    .limit(100)
    .execute();
  return rows.map(({ reason, message, ...row }) => {
    const { context } = row;
    return {
      at: row.at.toISOString(),
      lastAt: row.last_at.toISOString(),
      count: row.count,
      instance: row.instance,
      type: row.type,
      reason,
      context,
      message: eventSentence({ reason, context, message }),
    };
  });
};
