/** Table columns for pipelines: type, state, trigger and duration. */
import { isActive, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { DurationBar } from '@slipway/ui/figures/DurationBar.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { duration } from '@slipway/ui/format/duration.ts';
import { MiddleTruncate } from '@slipway/ui/text/MiddleTruncate.tsx';
import { MiniSteps } from '@slipway/ui/figures/MiniSteps.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { cellMain, type Column } from '@slipway/ui/list/Table.tsx';
import { pipelinePath } from '#entities/paths.ts';
import css from './pipeline-columns.module.css';
import { progressOf, progressText, subjectName, usualTotalMs } from './pipeline-progress.ts';
import { pipelineTitle, triggerLabel } from './pipeline-title.ts';
import { pipelineLook } from '#entities/status.ts';
import { StepTime } from './StepTime.tsx';

/** Highlights a duration of 1.5 times the usual one, and at least a second more. */
const farOver = 1.5;

function Outcome({ run }: { run: PipelineRun }) {
  const { tone, word } = pipelineLook[run.status.state];
  if (!isActive(run.status.state)) return <Status tone={tone}>{word}</Status>;
  const { done, total } = progressOf(run);
  return (
    <span className={css.running}>
      <Status tone={tone} isTinted>
        {run.status.state === 'RUNNING' ? progressText(run) : word}
      </Status>
      <MiniSteps done={done} total={total} />
    </span>
  );
}

/** Duration compared to the usual one, for ended runs; the tick marks the usual end. */
function Took({ run }: { run: PipelineRun }) {
  const from = run.startedAt ?? run.creationTimestamp;
  const usual = usualTotalMs(run);
  const time = <StepTime from={from} to={run.endedAt} />;
  if (run.endedAt === null || usual === undefined || run.status.state !== 'COMPLETED') return time;
  const ms = Date.parse(run.endedAt) - Date.parse(from);
  const scale = Math.max(ms, usual) * 1.1;
  return (
    <span className={css.took}>
      {time}
      <DurationBar
        value={ms / scale}
        usual={usual / scale}
        label={`${duration(ms)}, usually ${duration(usual)}`}
        {...(ms > usual * farOver && ms - usual > 1000 ? { state: 'over' as const } : {})}
      />
    </span>
  );
}

const place = ({ subject: { app, env, service } }: PipelineRun): string => {
  const words = env ? env.charAt(0).toUpperCase() + env.slice(1) : undefined;
  return [service && app !== service ? app : undefined, words].filter(Boolean).join(' · ');
};

const what: Column<PipelineRun> = {
  key: 'what',
  header: 'Pipeline',
  phone: 'title',
  cell: (run) => (
    <Link className={cellMain} href={pipelinePath(run)}>
      {pipelineTitle(run)}
    </Link>
  ),
};
const subject: Column<PipelineRun> = {
  key: 'subject',
  header: 'For',
  phone: 'meta',
  cell: (run) => (
    <span className={css.subject}>
      <span className="ell">{subjectName(run)}</span>
      <span className="meta ell">{place(run)}</span>
    </span>
  ),
};
const tag: Column<PipelineRun> = {
  key: 'tag',
  header: 'Image tag',
  width: 200,
  cell: ({ facts }) => (facts['imageTag'] ? <MiddleTruncate text={facts['imageTag']} isMono className="quiet" /> : '–'),
};
const others: Column<PipelineRun>[] = [
  { key: 'state', header: 'Status', phone: 'status', cell: (run) => <Outcome run={run} /> },
  {
    key: 'by',
    header: 'Started by',
    cell: (run) => (
      <span className={css.subject}>
        <span className="ell">{run.createdBy.displayName}</span>
        <span className="meta ell" title={triggerLabel(run)}>
          {triggerLabel(run)}
        </span>
      </span>
    ),
  },
  {
    key: 'took',
    header: 'Took',
    align: 'end',
    cell: (run) => <Took run={run} />,
  },
  {
    key: 'at',
    header: 'Started',
    align: 'end',
    phone: 'end',
    cell: (run) => (
      <span className="meta">
        <RelativeTime at={run.creationTimestamp} />
      </span>
    ),
  },
];

export const pipelineColumns = [what, subject, ...others];
/** For the pipelines of one service: the image tag replaces the service's name. */
export const servicePipelineColumns = [what, tag, ...others];

export const pipelineKey = (run: PipelineRun): string => run.pipelineId;
