/** Checks the rows after every round, when nothing is under way. Each function returns its faults as sentences. */
import { isDeepStrictEqual } from 'node:util';
import type { ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { Entry, Journal } from './journal.ts';
import type { StormedPlatform } from './stormed-platform.ts';

export interface Checked {
  readonly platform: StormedPlatform;
  readonly journal: Journal;
}
interface PipelineRow {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly trigger: string;
  readonly state: string;
  readonly code: string | null;
  readonly commit: string | null;
  readonly runs: number;
  readonly begun: number;
  readonly ended: number;
  readonly stuck: number;
}

/** Every pipeline with its latest run, its entries in the activity, and how many steps of a failed run were left as they were. */
const PIPELINES = `
  select pipeline.id, pipeline.type, pipeline.subject, pipeline.trigger, run.state, run.status_message ->> 'code' as code,
    run.input ->> 'commit' as commit, run.number as runs, coalesce(reported.begun, 0) as begun, coalesce(reported.ended, 0) as ended,
    (select count(*)::int from pipeline_step
      where pipeline_step.run_id = run.run_id and (undo_failed_at is not null or pipeline_step.state = 'RUNNING')) as stuck
  from pipeline
  join lateral (select * from pipeline_run where pipeline_id = pipeline.id order by number desc limit 1) run on true
  left join (select pipeline_id, count(*) filter (where outcome = 'STARTED')::int as begun,
    count(*) filter (where origin = 'pipeline')::int as ended from activity group by pipeline_id) reported on reported.pipeline_id = pipeline.id`;

/** Also what the checks wait for before they begin. */
export const activeWork = async ({ platform }: Checked): Promise<string[]> => {
  const runs = await platform.rows<{ id: string; type: string; subject: string }>(
    `select pipeline_id as id, type, subject from pipeline_run where state in ('QUEUED', 'PENDING', 'RUNNING')`,
  );
  const rotations = await platform.rows<{ id: string }>(`select id from key_rotation where state = 'RUNNING'`);
  return [
    ...runs.map(({ id, type, subject }) => `${type} of ${subject} (${id}) does not end`),
    ...rotations.map(({ id }) => `The rotation ${id} does not end`),
  ];
};

const pipelineFaults = (row: PipelineRow): string[] => {
  const name = `${row.type} of ${row.subject} (${row.id})`;
  return [
    ...(['COMPLETED', 'FAILED'].includes(row.state) ? [] : [`${name} ended ${row.state}`]),
    ...(row.code === 'INTERNAL_APPLICATION_ERROR' ? [`${name} failed by a fault of the platform`] : []),
    ...(row.stuck > 0 ? [`${name} ended ${row.state} with a step that runs, or whose undo failed`] : []),
    ...(row.begun === 1 && row.ended === row.runs ? [] : [`${name} has ${row.begun} entries of its start and ${row.ended} of its end`]),
  ];
};

/** Triggers of pipelines that the platform starts by itself. */
const ownTriggers = new Set(['push', 'image', 'platform']);

/** Acknowledged ones are there; of those that were not acknowledged there are at most as many as went unanswered. */
const countFaults = (rows: readonly PipelineRow[], journal: Journal): string[] => {
  const known = new Map(rows.map((row) => [row.id, row]));
  const keyOf = ({ type, subject }: { type?: string; subject?: string }): string => `${type} of ${subject}`;
  const started = journal.entries.filter(({ type }) => type !== undefined);
  const acknowledged = started.filter(({ fate }) => fate === 'acknowledged');
  const reported = new Set(acknowledged.map(({ pipelineId }) => pipelineId));
  const open = Map.groupBy(
    started.filter(({ fate }) => fate === 'unanswered'),
    keyOf,
  );
  const extra = Map.groupBy(
    rows.filter(({ id, trigger }) => !ownTriggers.has(trigger) && !reported.has(id)),
    keyOf,
  );
  return [
    ...acknowledged
      .filter(({ pipelineId }) => !known.has(pipelineId ?? ''))
      .map((entry) => `${entry.kind} (${entry.pipelineId}) was acknowledged and is not there`),
    ...(reported.size === acknowledged.length ? [] : ['Two writes were acknowledged with one pipeline']),
    ...[...extra]
      .filter(([key, found]) => found.length > (open.get(key)?.length ?? 0))
      .map(
        ([key, found]) =>
          `${found.length} × ${key} nobody got an answer for, and ${open.get(key)?.length ?? 0} went unanswered: ${found.map(({ id }) => id).join(', ')}`,
      ),
  ];
};

export const pipelineChecks = async ({ platform, journal }: Checked): Promise<string[]> => {
  const rows = await platform.rows<PipelineRow>(PIPELINES);
  const built = Map.groupBy(
    rows.filter(({ trigger }) => trigger === 'push'),
    ({ subject, commit }) => `${commit} for ${subject}`,
  );
  return [
    ...rows.flatMap(pipelineFaults),
    ...countFaults(rows, journal),
    ...[...built].filter(([, found]) => found.length > 1).map(([key, found]) => `${key} was built ${found.length} times`),
  ];
};

/** For the report: a failure is no violation, as long as it was undone. */
export const outcomes = async ({ platform }: Checked): Promise<string[]> => {
  const rows = await platform.rows<{ text: string; count: number }>(
    `select type || ' ' || state || coalesce(' ' || (status_message ->> 'step') || '.' || (status_message ->> 'code'), '') as text,
       count(*)::int from pipeline_run group by 1 order by 1`,
  );
  return rows.map(({ text, count }) => `${count} × ${text}`);
};

interface ServiceRow {
  readonly app: string;
  readonly active: boolean;
  readonly state: string;
  readonly serving: string[];
  readonly routed: string[];
  readonly spec: ServiceSpec;
  readonly revisions: { name: string; status: string; enabled: boolean; wanted: number; instances: number }[];
}
const SERVICES = `
  select app_id as app, active, state, serving, routed, spec,
    coalesce((select jsonb_agg(jsonb_build_object('name', name, 'status', status, 'enabled', enabled, 'wanted', replicas_wanted,
        'instances', (select count(*) from instance where revision_id = revision.id)))
      from revision where service_id = service.id and status <> 'DELETED'), '[]') as revisions
  from service order by created_at`;

export const serviceRows = ({ platform }: Checked): Promise<ServiceRow[]> => platform.rows<ServiceRow>(SERVICES);

/** One revision serves, is routed, healthy and the only one that is wanted; processes, rows and wishes are as many. */
export const serviceChecks = async (checked: Checked): Promise<string[]> => {
  const services = await serviceRows(checked);
  const processes = Map.groupBy(checked.platform.instances(), ({ service, revision }) => `${service}/${revision}`);
  const known = new Set(services.flatMap(({ app, revisions }) => revisions.map(({ name }) => `${app}/${name}`)));
  const strangers = [...processes.keys()]
    .filter((key) => !known.has(key))
    .map((key) => `An instance of ${key} runs, and no row knows the revision`);
  return [...strangers, ...services.flatMap((service) => serviceFaults(service, (key) => processes.get(key)?.length ?? 0))];
};

const serviceFaults = (
  { app, active, state, serving, routed, spec, revisions }: ServiceRow,
  processesOf: (key: string) => number,
): string[] => {
  const faults: string[] = [];
  const isServed = active && state === 'ACTIVE';
  if (!['ACTIVE', 'NOT_CREATED'].includes(state)) faults.push(`The service ${app} stays ${state}`);
  if (serving.join() !== routed.join()) faults.push(`${app}: ${serving.join()} is to serve, and ${routed.join()} is routed`);
  if (isServed && serving.length !== 1) faults.push(`${app} is served by ${serving.length} revisions`);
  for (const { name, status, enabled, wanted, instances } of revisions) {
    const due = isServed && serving.includes(name) ? spec.template.replicaScaling.count : 0;
    const seen = `wanted ${wanted}, rows ${instances}, processes ${processesOf(`${app}/${name}`)}`;
    if ((active && wanted !== due) || instances !== due || processesOf(`${app}/${name}`) !== due)
      faults.push(`${name}: ${due} instances are due, ${seen}`);
    if (due > 0 && (status !== 'HEALTHY' || !enabled)) faults.push(`${name} serves and is ${status}${enabled ? '' : ', disabled'}`);
    if (due === 0 && status !== 'NO_INSTANCES' && status !== 'FAILING') faults.push(`${name} does not serve and is ${status}`);
  }
  return faults;
};

interface ChangeRow {
  readonly id: string;
  readonly app: string;
  readonly type: string;
  readonly current: ServiceSpec;
  /** A rollback's, as its revision was made. */
  readonly target: ServiceSpec | null;
}
/** The last change of settings that completed, of each service. */
const CHANGES = `
  select distinct on (service.id) pipeline.id, service.app_id as app, pipeline.type, service.spec as current,
    (select spec from revision where service_id = service.id and name = run.input -> 'target' ->> 'name') as target
  from service join pipeline on pipeline.subject = 'service:' || service.app_id || '/' || service.environment || '/' || service.name
  join pipeline_run run on run.pipeline_id = pipeline.id
  where pipeline.type in ('UpdateService', 'Rollback') and run.state = 'COMPLETED' order by service.id, run.ended_at desc`;

export const settingsChecks = async ({ platform, journal }: Checked): Promise<string[]> => {
  const rows = await platform.rows<ChangeRow>(CHANGES);
  return rows.flatMap(({ id, app, type, current, target }) => {
    const asked: Entry[] = journal.of('settings').filter((entry) => entry.app === app);
    const reported = asked.filter(({ pipelineId }) => pipelineId === id);
    const possible = reported.length > 0 ? reported : asked.filter(({ fate }) => fate === 'unanswered');
    const wanted = type === 'Rollback' ? [target] : possible.map(({ settings }) => settings);
    return wanted.some((spec) => isDeepStrictEqual(spec, current))
      ? []
      : [`The settings of ${app} are not those of its last ${type} (${id})`];
  });
};
