/** Items that a quickstart creates, with their names: a preview first, then progress, links at the end. */
import type { PipelineRun, PipelineStep } from '@slipway/contract/pipeline/pipeline.ts';
import { quickstartParts } from '@slipway/contract/quickstart.ts';
import { physicalName } from '@slipway/contract/streaming/streaming.ts';
import type { RuntimeConfig } from '@slipway/contract/platform.ts';
import { newServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { stepMessageOf } from '@slipway/contract/pipeline/steps.ts';
import { megabytes } from '@slipway/ui/format/bytes.ts';
import { millicores } from '@slipway/ui/format/millicores.ts';
import type { StepState } from '@slipway/ui/figures/Steps.tsx';
import { stateOfSteps } from '#entities/pipeline/steps-state.ts';

export type PlanKind = 'repository' | 'registry' | 'database' | 'stream' | 'image' | 'service' | 'url';
export interface PlanItem {
  readonly kind: PlanKind;
  readonly label: string;
  readonly value: string;
  readonly note: string;
  /** Codes of the pipeline steps that create the item. */
  readonly steps: readonly string[];
}

export interface PlanNames {
  readonly app: string;
  readonly env: string;
  readonly service: string;
  /** Whether the app itself is new. */
  readonly isNewApp: boolean;
  /** Whether the app gets a database, and a stream. */
  readonly withDatabase?: boolean;
  readonly withStream?: boolean;
  /** Label of the chosen template. */
  readonly template: string;
}

const planSteps: Readonly<Record<PlanKind, readonly string[]>> = {
  repository: ['CheckNames', 'CreateRepository'],
  registry: ['CreateRegistryProject', 'CreateRobotAccount'],
  database: ['ReserveNames', 'ProvisionDatabase', 'MakeDatabasePassword', 'AttachSecretGroups'],
  stream: [
    'RegisterSchema',
    'WaitForSchemaCreation',
    'CheckTopic',
    'RegisterTopicSchemas',
    'CreateKafkaTopic',
    'WaitForTopicCreation',
    'ApplyAccessRules',
    'CreateClusterUser',
    'WaitForCredentialsCreation',
    'HandOverPassword',
    'AttachAccount',
  ],
  image: ['BuildImage'],
  service: ['CreateService', 'ValidateService', 'ValidateContainerImage', 'CreateRevision', 'StartInstances'],
  url: ['ShiftTraffic'],
};

const sizeOf = (env: string): string => {
  const { resources } = newServiceSpec('');
  const place = env === 'production' ? 'Production' : 'Development';
  return `${place} · West Europe · ${millicores(resources.cpuMillicores)}, ${megabytes(resources.memoryMegabytes)}`;
};

export const serviceUrlOf = (template: string, { app, env, service }: Pick<PlanNames, 'app' | 'env' | 'service'>): string =>
  template.replaceAll('{service}', service).replaceAll('{app}', app).replaceAll('{env}', env);

const bare = (url: string): string => url.replace(/^https?:\/\//, '');

export const planOf = (names: PlanNames, config: Pick<RuntimeConfig, 'gitUrl' | 'registryHost' | 'serviceUrl'>): PlanItem[] => {
  const { app, env, service, isNewApp, template, withDatabase = false, withStream = false } = names;
  const { database, topic } = quickstartParts(app);
  const item = (kind: PlanKind, label: string, value: string, note: string): PlanItem => ({
    kind,
    label,
    value,
    note,
    steps: planSteps[kind],
  });
  return [
    item('repository', 'Repository', `${bare(config.gitUrl)}/${app}/${service}.git`, template),
    ...(isNewApp
      ? [item('registry', 'Registry project', `${config.registryHost}/${app}`, 'Images of the app, and a robot account to push them')]
      : []),
    ...(withDatabase ? [item('database', 'Database', database, 'PostgreSQL; the service gets its address and password')] : []),
    ...(withStream ? [item('stream', 'Topic', physicalName(app, topic), 'With a schema, and an account for the service')] : []),
    item('image', 'Image', `${config.registryHost}/${app}/${service}`, 'Built from the first commit'),
    item('service', 'Service', service, sizeOf(env)),
    item('url', 'URL', serviceUrlOf(config.serviceUrl, names), 'Opens when the service answers'),
  ];
};

/** Steps whose message says more than the step's name. */
const worded: ReadonlySet<string> = new Set(['CreateRepository', 'BuildImage', 'StartInstances']);

const noteOf = (item: PlanItem, steps: readonly PipelineStep[], state: StepState): string => {
  if (state === 'running') return steps.find((step) => step.state === 'RUNNING')?.name ?? item.note;
  if (state === 'failed') return steps.find((step) => step.state === 'FAILED')?.name ?? item.note;
  if (state === 'canceled') return 'Removed again';
  if (state === 'skipped') return 'Not reached';
  if (state !== 'completed') return item.note;
  if (item.kind === 'url') return 'Answers';
  const reported = steps.findLast((step) => worded.has(step.code) && step.message);
  return (reported && stepMessageOf(reported.code, reported.message)) || item.note;
};

export interface PlanProgress {
  readonly item: PlanItem;
  readonly state: StepState;
  readonly note: string;
  readonly startedAt: string | null;
  /** Null until the item is done. */
  readonly endedAt: string | null;
}

export const planProgress = (plan: readonly PlanItem[], run: Pick<PipelineRun, 'status'>, isOver: boolean): PlanProgress[] =>
  plan.map((item) => {
    const steps = run.status.steps.filter(({ code }) => item.steps.includes(code));
    const state = stateOfSteps(steps, isOver);
    const ends = steps.flatMap(({ endedAt }) => endedAt ?? []);
    return {
      item,
      state,
      note: noteOf(item, steps, state),
      startedAt: steps.flatMap(({ startedAt }) => startedAt ?? []).toSorted()[0] ?? null,
      endedAt: state === 'running' ? null : (ends.toSorted().at(-1) ?? null),
    };
  });

/** Estimated milliseconds left, from the usual durations. Undefined if no run has been measured yet. */
export const msLeft = ({ status: { steps } }: Pick<PipelineRun, 'status'>, now: number): number | undefined => {
  const open = steps.filter(({ state }) => state === 'PENDING' || state === 'RUNNING');
  if (open.length === 0 || open.some(({ usualMs }) => usualMs === null)) return undefined;
  const usual = open.reduce((sum, step) => sum + (step.usualMs ?? 0), 0);
  const running = open.find(({ state }) => state === 'RUNNING');
  const spent = running?.startedAt ? Math.min(now - Date.parse(running.startedAt), running.usualMs ?? 0) : 0;
  return Math.max(0, usual - spent);
};
