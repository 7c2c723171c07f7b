/** The pipeline menu: all running pipelines with progress and link, then ended quickstarts. */
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { DurationText } from '@slipway/ui/text/DurationText.tsx';
import type { MenuItem } from '@slipway/ui/overlay/Menu.tsx';
import { PipeRow } from '@slipway/ui/figures/PipeRow.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Pipes } from '@slipway/ui/layout/Topbar.tsx';
import { pipelinePath, paths } from '#entities/paths.ts';
import { pipelineTypeName, progressOf, progressText, subjectName } from '#entities/pipeline/pipeline-progress.ts';
import { removeQuickstartEntry } from '#features/quickstart/quickstart-entries.ts';
import { pipelineLook } from '#entities/status.ts';
import { LazyMenu } from '#kit/later/LazyMenu.tsx';
import { useRunningPipelines } from './use-running-pipelines.ts';

const placeLabel = ({ subject, pipelineType }: PipelineRun): string =>
  subject.env ? subject.env.charAt(0).toUpperCase() + subject.env.slice(1) : pipelineTypeName(pipelineType);

function RunningRow({ run }: { run: PipelineRun }) {
  return (
    <PipeRow
      tone={pipelineLook[run.status.state].tone}
      name={subjectName(run)}
      time={<DurationText from={run.startedAt ?? run.creationTimestamp} />}
      note={`${placeLabel(run)} · ${progressText(run)}`}
      progress={progressOf(run).share}
    />
  );
}

function FinishedRow({ run }: { run: PipelineRun }) {
  const { tone, word } = pipelineLook[run.status.state];
  return (
    <PipeRow
      tone={tone}
      name={subjectName(run)}
      time={run.endedAt && <RelativeTime at={run.endedAt} isShort />}
      note={`${pipelineTypeName(run.pipelineType)} · ${word}`}
    />
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
  return <LazyMenu items={items} trigger={<Pipes running={running.length} failed={failed.length} />} />;
}
