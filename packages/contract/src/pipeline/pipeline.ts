/** Pipeline runs: step-by-step work outside the database. States and rules come from the specification §4 and decisions §3. */
import * as z from 'zod/mini';
import { After, Can, Instant, PageQuery, pageCodes, pageOf } from '../kernel/fields.ts';
import { routesIn } from '../kernel/kernel.ts';
import { SubjectKey, SubjectView } from '../subject-view.ts';

export const pipelineStates = ['QUEUED', 'PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELED'] as const;
export const PipelineState = z.enum(pipelineStates);
export type PipelineState = z.infer<typeof PipelineState>;
export const stepStates = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'SKIPPED', 'CANCELED'] as const;
export const StepState = z.enum(stepStates);
export type StepState = z.infer<typeof StepState>;

/** Trigger of a run: a person in the console, an API token, a git push, a pushed image, changed settings, a rollback, or the platform. */
export const pipelineTriggers = ['person', 'token', 'push', 'image', 'settings', 'rollback', 'platform'] as const;

/** A code of the step message catalogue with the values its text needs. */
export const StepMessage = z.object({
  code: z.string(),
  context: z.record(z.string(), z.string()),
});
export type StepMessage = z.infer<typeof StepMessage>;

export const PipelineStep = z.object({
  name: z.string(),
  code: z.string(),
  state: StepState,
  message: z.nullable(StepMessage),
  startedAt: z.nullable(Instant),
  endedAt: z.nullable(Instant),
  /** Usual duration of this step in milliseconds (median of recent completed runs). */
  usualMs: z.nullable(z.number()),
  /** The run cannot be cancelled after this step has started. */
  isPointOfNoReturn: z.boolean(),
});
export type PipelineStep = z.infer<typeof PipelineStep>;

export const PipelineRun = z.object({
  pipelineId: z.string(),
  runId: z.string(),
  pipelineType: z.string(),
  status: z.object({ state: PipelineState, steps: z.array(PipelineStep) }),
  statusMessage: z.nullable(z.string()),
  creationTimestamp: Instant,
  startedAt: z.nullable(Instant),
  endedAt: z.nullable(Instant),
  /** The subject that it works on; the console builds links from it. */
  subject: z.extend(SubjectView, {
    team: z.nullable(z.string()),
    app: z.nullable(z.string()),
    env: z.nullable(z.string()),
    service: z.nullable(z.string()),
    revision: z.nullable(z.string()),
  }),
  /** Free-form facts for display: image tag, commit, reason, url. */
  facts: z.record(z.string(), z.string()),
  createdBy: z.object({ id: z.string(), displayName: z.string() }),
  /** One of `pipelineTriggers`. */
  trigger: z.string(),
  /** All runs of this pipeline, newest first. A re-run is a separate run. */
  runs: z.array(
    z.object({ runId: z.string(), number: z.number(), state: PipelineState, creationTimestamp: Instant, createdBy: z.string() }),
  ),
  can: Can,
});
export type PipelineRun = z.infer<typeof PipelineRun>;

export const isActive = (state: PipelineState): boolean => state === 'QUEUED' || state === 'PENDING' || state === 'RUNNING';

/** A run can be cancelled until a step marked as the point of no return starts (decisions §3). */
export const pipelineCancelRule = (run: Pick<PipelineRun, 'status'>): true | 'PipelineUncancellableState' =>
  isActive(run.status.state) && !run.status.steps.some((step) => step.isPointOfNoReturn && step.state !== 'PENDING')
    ? true
    : 'PipelineUncancellableState';

/** A step that waits for healthy instances can end with its current result before its timeout. */
export const pipelineStopWaitingRule = (run: Pick<PipelineRun, 'status'>): true | 'PipelineStepNotWaiting' =>
  run.status.steps.some(({ code, state }) => code === 'StartInstances' && state === 'RUNNING') ? true : 'PipelineStepNotWaiting';

export const pipelineRerunRule = (run: Pick<PipelineRun, 'status'>): true | 'PipelineNotFailed' =>
  run.status.state === 'FAILED' || run.status.state === 'CANCELED' ? true : 'PipelineNotFailed';

/** Title of a failure (specification §4): the first step in Running state, otherwise the first in Failed state. */
export const pipelineFailureTitle = (run: { status?: Pick<PipelineRun['status'], 'steps'> } | undefined): string => {
  const steps = run?.status?.steps ?? [];
  const step = steps.find((item) => item.state === 'RUNNING') ?? steps.find((item) => item.state === 'FAILED');
  return step ? `Pipeline step "${step.name}" failed` : 'Pipeline failed';
};

export const LogEntry = z.object({
  number: z.number(),
  at: Instant,
  level: z.enum(['INFO', 'WARNING', 'ERROR']),
  line: z.string(),
});
export type LogEntry = z.infer<typeof LogEntry>;

const several = <T extends z.ZodMiniType>(item: T) => z.optional(z.union([item, z.array(item)]));
/** A filtered page of pipelines, sorted by time. */
export const PipelineQuery = z.extend(PageQuery, {
  state: several(PipelineState),
  type: several(z.string()),
  trigger: several(z.enum(pipelineTriggers)),
  after: After,
});

export const PipelinePage = z.extend(pageOf(PipelineRun), { next: z.nullable(z.string()) });
export type PipelinePage = z.infer<typeof PipelinePage>;

const tag = 'Pipelines';
const pipelines = '/api/v1/pipelines';
const route = routesIn({ tag, access: 'signedIn' });
export const pipelineView = route('pipelineView', `GET ${pipelines}/{pipelineId}`, {
  summary: 'A pipeline, its latest run or the one asked for',
  description: 'A run ends in the state `COMPLETED`, `FAILED` or `CANCELED`. `statusMessage` says why it failed.',
  query: z.object({ runId: z.optional(z.string()) }),
  response: PipelineRun,
  codes: ['PipelineDoesNotExist'],
});
export const pipelineViewV1 = route('pipelineViewV1', 'GET /api/team-service/pipelines/v1/{pipelineId}', {
  summary: 'A pipeline (team-service)',
  query: z.object({ runId: z.optional(z.string()) }),
  response: PipelineRun,
  codes: ['PipelineDoesNotExist'],
});
export const pipelineList = route('pipelineList', `GET ${pipelines}`, {
  summary: 'Pipelines that the caller may see; `active=true` only the running ones',
  query: z.extend(PipelineQuery, {
    active: z._default(z.stringbool(), false),
    app: z.optional(z.string()),
    team: z.optional(z.string()),
    /** Matches this subject and everything below it. */
    subject: z.optional(SubjectKey),
  }),
  response: PipelinePage,
  codes: pageCodes,
});
export const pipelineCancel = route('pipelineCancel', `POST ${pipelines}/{pipelineId}/cancellation`, {
  summary: 'Cancel a run and undo what it made',
  description: 'Possible until a step that cannot be undone has begun.',
  response: PipelineRun,
  status: 202,
  codes: ['PipelineDoesNotExist', 'PipelineTypeNotSupported', 'PipelineUncancellableState', 'NotAMember', 'NotAnOwner'],
});
export const pipelineStopWaiting = route('pipelineStopWaiting', `POST ${pipelines}/{pipelineId}/verdict`, {
  summary: 'End the step that waits for healthy instances now, with what it has seen',
  response: PipelineRun,
  status: 202,
  codes: ['PipelineDoesNotExist', 'PipelineStepNotWaiting', 'NotAMember', 'NotAnOwner'],
});
export const pipelineRerun = route('pipelineRerun', `POST ${pipelines}/{pipelineId}/reruns`, {
  summary: 'Run again from the failed step, or all',
  description: 'The pipeline keeps its id, and the run gets a new one.',
  body: z._default(z.object({ from: z._default(z.enum(['failedStep', 'start']), 'failedStep') }), {
    from: 'failedStep',
  }),
  response: PipelineRun,
  status: 202,
  codes: [
    'PipelineDoesNotExist',
    'PipelineTypeNotSupported',
    'PipelineNotFailed',
    'ApprovalRequired',
    'ProductionFrozen',
    'WorkflowExecutionAlreadyStarted',
    'NotAMember',
    'NotAnOwner',
    'InvalidValue',
  ],
});
export const pipelineStepLogs = route('pipelineStepLogs', `GET ${pipelines}/{pipelineId}/steps/{step}/logs`, {
  summary: "One step's log; the step's code, or its index",
  query: z.object({
    runId: z.optional(z.string()),
    after: z._default(z.coerce.number().check(z.int(), z.minimum(0)), 0),
  }),
  response: z.array(LogEntry),
  codes: ['PipelineDoesNotExist', 'NotAMember', 'NotANumber', 'NotAnInteger', 'Minimum', 'InvalidValue'],
});
