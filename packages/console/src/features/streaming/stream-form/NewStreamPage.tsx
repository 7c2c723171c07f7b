/**
 * Creates a stream: a topic with its schema and an account that may use it, in one form and one pipeline. The form becomes the progress. At
 * the end, the topic page shows the next steps. If a step fails, the form is restored.
 */
import { environments } from '@slipway/contract/kernel/fields.ts';
import { isActive, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { EnvironmentBar } from '@slipway/ui/layout/EnvironmentBar.tsx';
import { useEffect, useEffectEvent } from 'react';
import { useNavigate } from 'react-router';
import { AppDetails } from '#entities/application/AppDetails.tsx';
import { refresh } from '#entities/changes/refresh.ts';
import { PipelineFailure } from '#entities/diagnosis/PipelineFailure.tsx';
import { NotFound } from '#entities/NotFound.tsx';
import { PageError } from '#entities/PageError.tsx';
import { paths, pipelinePath } from '#entities/paths.ts';
import { failedStepOf, isUndoing, progressText, RerunButton, usePipelineRun } from '#entities/pipeline/index.ts';
import { reasonOf } from '#kit/error/messages.ts';
import { PageBody } from '#kit/page/PageBody.tsx';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import { useUrlState } from '#kit/state/url-state.ts';
import { AwayNotice } from '#features/streaming/BrokerNotice.tsx';
import { useEventsPlace, type EventsPlace } from '#features/streaming/use-place.ts';
import { StreamFields } from './StreamFields.tsx';
import { StreamMade } from './StreamMade.tsx';
import { streamPlan } from './stream-plan.ts';
import { useStreamForm, useStreamValues } from './use-stream-form.ts';

const defaults = { pipeline: '' };

export function Component() {
  const { at, place } = useEventsPlace();
  usePageTitle(['New stream', at.app, place?.env]);
  if (place === undefined) return <NotFound />;
  if (at.query.error && !at.application) return <PageError what={`app ${at.app}`} query={at.query} />;
  const reason = at.application && reasonOf(at.application.can, 'createService', { team: at.team });
  return (
    <>
      <PageHeader hasSkip={false} name="New stream" lede="Ready for any Kafka client in a few seconds.">
        <AppDetails id={at.app} env={place.env} app={at.application} />
      </PageHeader>
      <EnvironmentBar
        environment={place.env}
        links={[...environments]
          .reverse()
          .map((environment) => ({ environment, href: paths.newStream({ app: at.app, env: environment }) }))}
      />
      <PageBody className="stack stack-24">
        <AwayNotice place={place} />
        {at.application && <NewStream key={`${at.app}/${place.env}`} place={place} reason={reason} team={at.team} />}
      </PageBody>
    </>
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
  const made = <StreamMade plan={streamPlan(place.app, values)} highlight={values.topic.name} run={run} />;
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
    <Button variant="primary" disabledReason={isBusy ? 'What was made is still being removed' : undefined} onClick={onBack}>
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
      {isBusy ? 'Stopped. What was made is being removed.' : 'Stopped, and what was made was removed again. The names are free.'}
    </Notice>
  );
}
