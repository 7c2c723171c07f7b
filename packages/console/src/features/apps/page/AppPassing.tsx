/** The pipelines that currently run for this app, shown on the waterline. */
import { pipelineList } from '@slipway/contract/pipeline/pipeline.ts';
import { DurationText } from '@slipway/ui/text/DurationText.tsx';
import { PipelineStrip } from '@slipway/ui/layout/PipelineStrip.tsx';
import { useQuery } from '#kit/api/query.ts';
import { pipelinePath } from '#entities/paths.ts';
import { pipelineTypeName, progressOf, progressText, subjectName } from '#entities/pipeline/pipeline-progress.ts';

const fastPollMs = 1000;
const slowPollMs = 5000;

export function AppPassing({ app, env }: { app: string; env: string }) {
  const { data } = useQuery(
    pipelineList,
    { query: { active: 'true', app, size: 20 } },
    { pollMs: (page) => (page && page.content.length > 0 ? fastPollMs : slowPollMs) },
  );
  const runs = data?.content.filter(({ subject }) => subject.env === null || subject.env === env) ?? [];
  const [run] = runs;
  if (!run) return null;
  const others = runs.length - 1;
  return (
    <PipelineStrip
      title={run.subject.service ? subjectName(run) : pipelineTypeName(run.pipelineType)}
      note={progressText(run)}
      meta={
        <>
          <DurationText from={run.startedAt ?? run.creationTimestamp} />
          {others > 0 && `, ${others} more`}
        </>
      }
      progress={progressOf(run).share}
      href={pipelinePath(run)}
    />
  );
}
