/** Offers to cancel the step that waits for healthy instances, after the health check failed several times in the same way. */
import { eventDetail } from '@slipway/contract/service/instance-event-texts.ts';
import { revisionInstances, type InstanceEvent } from '@slipway/contract/service/revision.ts';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { duration } from '@slipway/ui/format/duration.ts';
import { useQuery } from '#kit/api/query.ts';
import { usePipelineActions } from '#entities/pipeline/use-pipeline-run.ts';

/** Event counts and times change without a change event. */
const pollMs = 1000;
const equalAnswers = 5;

/** Returns the newest health check failure if it repeated often enough. Ignores events before `since`. */
export const plainFailure = (events: readonly InstanceEvent[], since: string): InstanceEvent | undefined => {
  const [newest] = events.filter(({ reason, lastAt }) => reason === 'NotHealthyYet' && lastAt >= since);
  return newest && newest.count >= equalAnswers ? newest : undefined;
};

export function StopWaiting({ run }: { run: PipelineRun }) {
  const { app, env, service } = run.subject;
  const revision = run.facts['revision'];
  const step = run.status.steps.find(({ code }) => code === 'StartInstances');
  const place = step?.state === 'RUNNING' && app && env && service && revision ? { app, env, service, revision } : undefined;
  const { data } = useQuery(revisionInstances, place && { params: place }, { pollMs, isAlwaysPolled: true });
  const { stopWaiting, isStopping } = usePipelineActions(run.pipelineId);
  const seen = place && plainFailure(data?.events ?? [], step?.startedAt ?? '');
  if (!seen) return null;
  const sentence = eventDetail(seen);
  return (
    <Notice
      tone="warn"
      isLive
      actions={
        run.can['stopWaiting'] === true && (
          <Button size="sm" isBusy={isStopping} busyLabel="Stopping" onClick={() => void stopWaiting()}>
            Stop now
          </Button>
        )
      }
    >
      <strong>
        {sentence.charAt(0).toUpperCase() + sentence.slice(1)}, {seen.count.toLocaleString('en')} times
      </strong>{' '}
      in {duration(Date.parse(seen.lastAt) - Date.parse(seen.at))}. The step waits until its time is over.
    </Notice>
  );
}
