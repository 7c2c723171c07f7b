/** Reads the operator's page. A fixed number of queries, each bounded by an index or a limit. */
import { sql } from 'kysely';
import { maxShown, type Degraded, type EngineHealth, type Operations } from '@slipway/contract/operations.ts';
import { subjectView } from '@slipway/contract/subject-view.ts';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { stepMessageOf } from '@slipway/contract/pipeline/steps.ts';
import { schemaKind } from '@slipway/contract/kinds/schema.kind.ts';
import { accountKind } from '@slipway/contract/kinds/account.kind.ts';
import { topicKind } from '@slipway/contract/kinds/topic.kind.ts';
import { serviceKind } from '@slipway/contract/kinds/service.kind.ts';
import type { Db } from '#db/database.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { lastingConditions } from '#modules/notifications/index.ts';
import { runPage } from '#modules/pipelines/index.ts';
import type { Keys } from '#ports/keys.ts';
import { unreadableCounts } from '../unreadable.sql.ts';
import type { ProbedEngine } from './engine-probes.ts';
import type { EngineWatch } from './engine-watch.ts';
import { queueCounts } from './queues.sql.ts';
import { replicas } from './replicas.ts';

export interface OperationsDeps {
  readonly db: Db;
  readonly version: string;
  readonly keys: Keys;
  readonly engines: readonly ProbedEngine[];
  readonly watch: EngineWatch;
  /** Id of this replica's heartbeat. */
  readonly replica: string;
}

const kinds = { service: serviceKind, topic: topicKind, schema: schemaKind, account: accountKind } as const;
const isKind = (text: string): text is keyof typeof kinds => Object.hasOwn(kinds, text);

const degradedRows = async (db: Db): Promise<Pick<Operations, 'degraded' | 'isMoreDegraded'>> => {
  const { rows } = await sql<{ key: string; type: string; app: string; env: string; name: string }>`
    select key, type, app_id as app, environment as env, name from (
      ${lastingConditions} union all
      select 'account#' || id, 'drift.found', app_id, environment, name, 'account' from account where drift = 'DRIFT'
    ) as condition order by type desc, key limit ${maxShown + 1}`.execute(db);
  const degraded = rows.slice(0, maxShown).flatMap(({ key, type, app, env, name }): Degraded[] => {
    const kind = key.slice(0, key.indexOf('#'));
    if (!isKind(kind)) return [];
    const subject = subjectView({ kind: kinds[kind].kind, names: { app, env, [kind]: name } });
    return [{ subject, app, env, problem: type === 'service.failing' ? 'FAILING' : 'DRIFT' }];
  });
  return { degraded, isMoreDegraded: rows.length > maxShown };
};

const slowOf = ({ pipelineId, pipelineType, status: { state, steps }, statusMessage, subject, creationTimestamp }: PipelineRun) => {
  const step = steps.find((one) => one.state === 'RUNNING');
  return {
    pipelineId,
    pipelineType,
    state,
    subject: { kind: subject.kind, name: subject.name, names: subject.names, key: subject.key },
    message: statusMessage ?? (step ? stepMessageOf(step.code, step.message) || step.name : null),
    creationTimestamp,
  };
};

const platformKeys = async (db: Db, keys: Keys): Promise<Operations['keys']> => {
  const own = await db.selectFrom('platform_key').select(['purpose', 'created_at']).orderBy('created_at').orderBy('purpose').execute();
  const rotation = await db.selectFrom('key_rotation').select('started_at').orderBy('started_at', 'desc').limit(1).executeTakeFirst();
  return {
    kind: keys.kind,
    // The list of engines says why the key store does not answer.
    currentKid: await keys.currentKid().catch(() => null),
    rotatedAt: rotation?.started_at.toISOString() ?? null,
    own: own.map(({ purpose, created_at: at }) => ({ purpose, createdAt: at.toISOString() })),
  };
};

const engineHealth = async ({ engines, watch }: OperationsDeps, own: Operations['keys']['own']): Promise<EngineHealth[]> => {
  const purposes = new Map(engines.map(({ id, credential }) => [id as string, credential]));
  const made = new Map(own.map(({ purpose, createdAt }) => [purpose, createdAt]));
  return (await watch.look()).map((seen) => ({ ...seen, credentialsAt: made.get(purposes.get(seen.id) ?? '') ?? null }));
};

const lastBackup = async (db: Db): Promise<Operations['backup']> => {
  const row = await db.selectFrom('platform_backup').selectAll().executeTakeFirst();
  if (!row) return null;
  return {
    finishedAt: row.finished_at.toISOString(),
    tookMs: Number(row.took_ms),
    bytes: Number(row.bytes),
    hasWarnings: row.has_warnings,
  };
};

export const operations = async (deps: OperationsDeps, caller: Caller): Promise<Operations> => {
  const { db, version, replica } = deps;
  const keys = await platformKeys(db, deps.keys);
  const pipelines = await runPage(db, { active: true, sort: 'createdAt', page: 0, size: maxShown }, caller);
  return {
    version,
    replicas: await replicas(db, replica),
    engines: await engineHealth(deps, keys.own),
    queues: await queueCounts(db),
    pipelines: pipelines.content.map(slowOf),
    ...(await degradedRows(db)),
    unreadable: (await unreadableCounts(db)).reduce((sum, { count }) => sum + count, 0),
    keys,
    backup: await lastBackup(db),
  };
};
