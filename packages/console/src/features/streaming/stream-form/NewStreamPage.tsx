/**
 * Creates a stream: a topic with its schema and an account that may use it, in one form and one pipeline. The form becomes the progress. At
 * the end, the topic page shows the next steps. If a step fails, the form is restored.
 */
import { isActive, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { useEffect, useEffectEvent } from 'react';
import { useNavigate } from 'react-router';
import { refresh } from '#entities/changes/refresh.ts';
import { PipelineFailure } from '#entities/diagnosis/PipelineFailure.tsx';
import { paths, pipelinePath } from '#entities/paths.ts';
import { failedStepOf, isUndoing, progressText, RerunButton, usePipelineRun } from '#entities/pipeline/index.ts';
import { NewPage } from '#entities/resource/NewPage.tsx';
import { useUrlState } from '#kit/state/url-state.ts';
import { AwayNotice } from '#features/streaming/BrokerNotice.tsx';
import type { EventsPlace } from '#features/streaming/use-place.ts';
import { StreamFields } from './StreamFields.tsx';
import { StreamCreation } from './StreamCreation.tsx';
import { streamPlan } from './stream-plan.ts';
import { useStreamForm, useStreamValues } from './use-stream-form.ts';

const defaults = { pipeline: '' };

export function Component() {
  return (
    <NewPage title="New stream" lede="Ready for any Kafka client in a few seconds." hrefOf={paths.newStream} Notices={AwayNotice}>
      {(place, reason, { team }) => <NewStream place={place} reason={reason} team={team} />}
    </NewPage>
  );
}

interface NewStreamProps {
  place: EventsPlace;
  reason: string | undefined;
  team: string;
}

function NewStream({ place, reason, team }: NewStreamProps) {
  const { state, set } = useUrlState(defaults);
  const form = useStreamForm(place, ({ pipelineId }) => set({ pipeline: pipelineId }));
  const values = useStreamValues(form);
  const { data: run } = usePipelineRun(state.pipeline === '' ? undefined : state.pipeline);
  useArrival(place, run, values.account?.name ?? '');
  const made = <StreamCreation plan={streamPlan(place.app, values)} highlight={values.topic.name} run={run} />;
  if (state.pipeline === '') return <StreamFields form={form} place={place} reason={reason} made={made} />;
  const isOver = run !== undefined && (isUndoing(run) || !isActive(run.status.state)) && run.status.state !== 'COMPLETED';
  return (
    <div className="stack stack-24">
      {run && isOver && <Failed run={run} team={team} onBack={() => set({ pipeline: '' })} />}
      {run && !isOver && (
        <div className="row row-wrap">
          <p role="status">{progressText(run)}</p>
          <LinkButton size="sm" variant="quiet" href={pipelinePath(run)}>
            View pipeline
          </LinkButton>
        </div>
      )}
      {/* After a reload the form is empty, so only the pipeline shows the names. */}
      {values.topic.name !== '' && made}
    </div>
  );
}

/** Opens the topic page with the next steps once everything is created. */
const useArrival = ({ app, env }: EventsPlace, run: PipelineRun | undefined, account: string): void => {
  const navigate = useNavigate();
  const arrive = useEffectEvent(async (topic: string): Promise<void> => {
    for (const kind of ['topic', 'schema', 'account']) await refresh({ kind, app, env });
    const next = account === '' ? '' : `?ready=${encodeURIComponent(account)}`;
    await navigate(`${paths.topic({ app, env, topic })}${next}`, { replace: true });
  });
  const topic = run?.status.state === 'COMPLETED' ? run.subject.names['topic'] : undefined;
  useEffect(() => {
    if (topic !== undefined) void arrive(topic);
  }, [topic]);
};

function Failed({ run, team, onBack }: { run: PipelineRun; team: string; onBack: () => void }) {
  const isBusy = isUndoing(run) || isActive(run.status.state);
  const back = (
    <Button variant="primary" disabledReason={isBusy ? 'Changes are still being rolled back' : undefined} onClick={onBack}>
      Back to the form
    </Button>
  );
  if (failedStepOf(run)) return <PipelineFailure run={run} team={team} main={back} />;
  return (
    <Notice
      isLive
      actions={
        <>
          {back}
          <RerunButton run={run} team={team} />
        </>
      }
    >
      {isBusy ? 'Stopped. Changes are being rolled back.' : 'Stopped and rolled back. The names are free.'}
    </Notice>
  );
}
