/** Collects the facts for a diagnosis: rows, the registry if an image may be missing, and the last log lines. */
import { revisionKind } from '@slipway/contract/kinds/revision.kind.ts';
import { memberRule, type Actor } from '@slipway/contract/kernel/rights.ts';
import type { Diagnosis } from '@slipway/contract/service/diagnosis.ts';
import type { Db } from '#db/database.ts';
import type { Registry } from '#ports/registry.ts';
import type { LogLine, Runtime } from '#ports/runtime.ts';
import { maskSecrets, type OpenSecrets } from './mask-secrets.ts';
import { eventsOf, instancesOf, statusOf } from '../revisions/revisions.sql.ts';
import { runtimeSeen } from '../pipelines/rollout.sql.ts';
import { requireRevision } from '../service-context.ts';
import { lockOf, teamOf, type ServiceKey } from '../services.sql.ts';
import { restartsOf, diagnose, withoutFrames, type DiagnosisFacts, type Verdict } from './diagnose.ts';

/** Number of log lines on a card. */
const LINES = 12;
/** Number of lines that are read. A stack trace fits. */
const READ_LINES = 80;

export interface DiagnosisDeps {
  readonly db: Db;
  readonly registry: Registry;
  readonly runtime: Runtime;
  readonly secrets: OpenSecrets;
}
type Row = Awaited<ReturnType<typeof requireRevision>>['row'];
type Line = Diagnosis['evidence']['lastLines'][number];

const lastLines = async ({ db, runtime, secrets }: DiagnosisDeps, key: ServiceKey, row: Row): Promise<Line[]> => {
  const lines: LogLine[] = [];
  for await (const line of runtime.logs({ ...key, revision: row.name }, { tailLines: READ_LINES }))
    // An earlier service with this name, perhaps of another team, may have had a revision with this name.
    if (line.at >= row.created_at && line.line.trim()) lines.push(line);
  try {
    const masked = (await maskSecrets(db, secrets, key, row.id, lines.map(({ line }) => line).join('\n'))).split('\n');
    return withoutFrames(
      lines.map(({ at, instance, number }, index) => ({ at: at.toISOString(), instance, number, line: masked[index] ?? '' })),
    ).slice(-LINES);
  } catch {
    // Lines that cannot be masked are left out. They remain in the log.
    return [];
  }
};

interface LastRun {
  readonly stepMessage: DiagnosisFacts['stepMessage'];
  readonly type: string;
  readonly startedAt: Date;
}
/** Returns the last run on the revision if it failed: the run that made it, enabled it, or activated the service with it. */
const failedRun = async (db: Db, key: ServiceKey, row: Row): Promise<LastRun | undefined> => {
  const run = await db
    .selectFrom('pipeline_run as run')
    .innerJoin('pipeline', 'pipeline.id', 'run.pipeline_id')
    .select(['run.status_message', 'run.state', 'run.type', 'run.created_at'])
    .where((at) =>
      at.or([
        at('pipeline.id', '=', row.pipeline_id ?? ''),
        at.and([at('pipeline.subject_kind', '=', revisionKind.kind), at('pipeline.subject_id', '=', row.id)]),
        at.and([at('run.subject', '=', lockOf(key)), at('run.type', '=', 'ServiceActivation')]),
      ]),
    )
    .orderBy('run.created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (run?.state !== 'FAILED') return undefined;
  return { stepMessage: run.status_message, type: run.type, startedAt: run.created_at };
};

/** Distinguishes a failed pull of an existing image from a missing image, which is not the registry's fault. */
const sharpened = async ({ registry }: DiagnosisDeps, row: Row, found: Verdict): Promise<Verdict> => {
  if (found.code !== 'ImagePullFailed') return found;
  const image = await registry.image(row.image_repository, row.image_digest).catch(() => 'unknown' as const);
  return image === undefined ? { ...found, code: 'ImageMissing', next: { place: 'deploy', target: null } } : found;
};

const sinceOf = ({ event }: Verdict, row: Row): string => event?.at ?? (row.failed_at ?? row.created_at).toISOString();

export const revisionDiagnosisOf = async (deps: DiagnosisDeps, key: ServiceKey, name: string, actor: Actor): Promise<Diagnosis | null> => {
  const { db, registry } = deps;
  const { service, row } = await requireRevision(db, key, name);
  const isMember = memberRule(actor, (await teamOf(db, key.app)) ?? '') === true;
  const [instances, events, failed, seen] = await Promise.all([
    instancesOf(db, row.id),
    eventsOf(db, row.id),
    failedRun(db, key, row),
    runtimeSeen(db),
  ]);
  const status = statusOf(row);
  // Later events show that the activation used this revision.
  const isStartUndone =
    failed?.type === 'ServiceActivation' &&
    (!service.active || service.scaled_down_at !== null) &&
    events.some(({ lastAt }) => Date.parse(lastAt) >= failed.startedAt.getTime());
  const isQuiet = !isStartUndone && (status === 'HEALTHY' || status === 'NO_INSTANCES' || status === 'DELETED');
  const lines = isQuiet ? [] : await lastLines(deps, key, row);
  const found = diagnose({
    status,
    replicasWanted: row.replicas_wanted,
    createdAt: row.created_at,
    spec: row.spec,
    image: `${registry.host}/${row.image_repository}:${row.image_tag}`,
    instances,
    events,
    stepMessage: failed?.stepMessage ?? null,
    isStartUndone,
    runtimeSeenSeconds: seen?.seconds ?? null,
    lines: lines.map(({ line }) => line),
    now: new Date(),
  });
  if (!found) return null;
  const { code, context, event, next } = await sharpened(deps, row, found);
  const others = service.serving.filter((other) => other !== name);
  return {
    code,
    context,
    since: sinceOf(found, row),
    evidence: {
      event,
      exit: instances.find(({ lastExit }) => lastExit)?.lastExit ?? null,
      restarts: restartsOf({ instances, events }),
      lastLines: isMember ? lines : [],
    },
    next: next.place === 'logs' && !isMember ? { place: 'none', target: null } : next,
    stillServing: others[0] ?? null,
  };
};
