/** The pipeline status widget: everything that runs now, each with its progress and a link; then quickstarts that ended. */
import type { PipelineRun } from '@slipway/contract/pipeline.ts';
import { DurationText } from '@slipway/ui/DurationText.tsx';
import { cssVars, percent } from '@slipway/ui/css-vars.ts';
import { Mark } from '@slipway/ui/Mark.tsx';
import { Menu, type MenuItem } from '@slipway/ui/Menu.tsx';
import { RelativeTime } from '@slipway/ui/RelativeTime.tsx';
import { Pipes } from '@slipway/ui/Topbar.tsx';
import { pipelinePath, paths } from '#lib/paths.ts';
import { pipelineTypeName, progressOf, progressText, subjectName } from '#lib/pipeline-progress.ts';
import { removeQuickstartEntry } from '#lib/quickstart-entries.ts';
import { pipelineLook } from '#lib/status.ts';
import css from './PipelineMenu.module.css';
import { useRunningPipelines } from './use-running-pipelines.ts';

const placeWords = ({ subject, pipelineType }: PipelineRun): string =>
  subject.env ? subject.env.charAt(0).toUpperCase() + subject.env.slice(1) : pipelineTypeName(pipelineType);

function RunningRow({ run }: { run: PipelineRun }) {
  const { tone } = pipelineLook[run.status.state];
  return (
    <span className={css.row}>
      <Mark tone={tone} />
      <strong className="ell">{subjectName(run)}</strong>
      <span className="meta">
        <DurationText from={run.startedAt ?? run.creationTimestamp} />
      </span>
      <span className={css.note}>
        {placeWords(run)} · {progressText(run)}
      </span>
      <span className={css.track} aria-hidden="true">
        <i style={cssVars({ '--done': percent(progressOf(run).share) })} />
      </span>
    </span>
  );
}

function FinishedRow({ run }: { run: PipelineRun }) {
  const { tone, word } = pipelineLook[run.status.state];
  return (
    <span className={css.row}>
      <Mark tone={tone} />
      <strong className="ell">{subjectName(run)}</strong>
      <span className="meta">{run.endedAt && <RelativeTime at={run.endedAt} isShort />}</span>
      <span className={css.note}>
        {pipelineTypeName(run.pipelineType)} · {word}
      </span>
    </span>
  );
}

export function PipelineMenu() {
  const { running, finished, failed } = useRunningPipelines();
  const items: MenuItem[] = [
    ...running.map((run) => ({ label: subjectName(run), href: pipelinePath(run), content: <RunningRow run={run} /> })),
    ...(running.length === 0 ? [{ heading: 'Nothing is running.' }] : []),
    ...(finished.length > 0 ? (['line'] as const) : []),
    ...finished.map((run) => ({ label: subjectName(run), href: pipelinePath(run), content: <FinishedRow run={run} /> })),
    'line',
    { label: 'All pipelines', href: paths.pipelines() },
    ...(finished.length > 0
      ? [{ label: 'Clear finished', onSelect: () => finished.forEach((run) => removeQuickstartEntry(run.pipelineId)) }]
      : []),
  ];
  return <Menu items={items} trigger={<Pipes running={running.length} failed={failed.length} />} />;
}
