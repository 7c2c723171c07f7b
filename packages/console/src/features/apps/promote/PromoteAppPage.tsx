/** Promotes an app: what differs between development and production, and one plan of what is taken, with one button. */
import { isActive } from '@slipway/contract/pipeline/pipeline.ts';
import { appPromotionView, type AppPromotion } from '@slipway/contract/promotion.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Details, type Detail } from '@slipway/ui/layout/Details.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel } from '@slipway/ui/layout/Panel.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { RefreshCw } from 'lucide-react';
import { EntityBar } from '#entities/resource/EntityBar.tsx';
import { PageError } from '#entities/PageError.tsx';
import { paths } from '#entities/paths.ts';
import { useAppPlace, type AppPlace } from '#entities/team/use-app-place.ts';
import { useQuery } from '#kit/api/query.ts';
import { MembersOnly } from '#kit/page/MembersOnly.tsx';
import { PageBody } from '#kit/page/PageBody.tsx';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import { UnsavedGuard } from '#kit/page/UnsavedGuard.tsx';
import { LatestPromotion } from './LatestPromotion.tsx';
import { canTake } from './promotion-choice.ts';
import { PromotionLines } from './PromotionLines.tsx';
import { PromotionPlan } from './PromotionPlan.tsx';
import { usePromoteApp } from './use-promote-app.ts';

const runningPollMs = 2000;
const isRunning = (view: AppPromotion | undefined): boolean => view?.latest != null && isActive(view.latest.state);

export function Component() {
  const at = useAppPlace();
  const { app } = at;
  usePageTitle([`Promote ${app}`, 'production']);
  const query = useQuery(appPromotionView, at.isMember === true && { params: { app } }, {
    pollMs: (view) => (isRunning(view) ? runningPollMs : 0),
  });
  const { data: view } = query;
  if (at.query.error && !at.application) return <PageError what={`app ${app}`} query={at.query} />;
  if (query.error && !view) return <PageError what={`promotion of ${app}`} query={query} />;
  return (
    <>
      <PageHeader
        typeLabel="App"
        name={`Promote ${app}`}
        isLoading={at.isMember !== false && !view}
        actions={
          view && (
            <Button
              icon={<RefreshCw aria-hidden="true" />}
              isBusy={query.isValidating}
              busyLabel="Comparing"
              onClick={() => void query.mutate()}
            >
              Compare again
            </Button>
          )
        }
      >
        <Details items={detailsOf(app, view)} />
      </PageHeader>
      <EntityBar
        env="production"
        hrefOf={(env) => (env === 'production' ? paths.promoteApp({ app }) : paths.app({ app, env }))}
        pipelineId={isRunning(view) ? view?.latest?.pipelineId : undefined}
      />
      <PageBody padding="flush" className="stack stack-24" isTall>
        {at.isMember === false && (
          <MembersOnly label="Promotion" title="Apps are promoted by members of the team">
            {at.noRight}
          </MembersOnly>
        )}
        {view && <Promotion at={at} view={view} />}
      </PageBody>
    </>
  );
}

const detailsOf = (app: string, view: AppPromotion | undefined): Detail[] => {
  const differing = view?.rows.filter(({ state }) => state === 'DIFFERS' || state === 'MISSING').length ?? 0;
  return [
    { label: 'From', value: <Link href={paths.app({ app, env: 'development' })}>Development</Link> },
    { label: 'To', value: <Link href={paths.app({ app, env: 'production' })}>Production</Link> },
    { label: 'Differs', value: view ? `${differing} of ${view.rows.length}` : '–' },
    { label: 'Compared', value: view ? <RelativeTime at={view.comparedAt} /> : '–' },
  ];
};

function Promotion({ at: { app, team }, view }: { at: AppPlace; view: AppPromotion }) {
  const state = usePromoteApp(app, view.rows, !isRunning(view));
  const canPromote = !isRunning(view) && view.rows.some(canTake);
  // With keys, so that the focus stays when the plan appears again.
  const latest = view.latest && <LatestPromotion key="latest" latest={view.latest} team={team} />;
  const plan = canPromote && <PromotionPlan key="plan" app={app} view={view} state={state} />;
  if (view.rows.length === 0)
    return (
      <Panel aria-label="Promotion">
        <EmptyState
          level={2}
          kind="first-use"
          title="Nothing in development yet"
          actions={<LinkButton href={paths.newService({ app, env: 'development' })}>New service</LinkButton>}
        >
          Create services, databases or topics in development first. This page then copies them to production.
        </EmptyState>
      </Panel>
    );
  return (
    <div className="split split-side">
      <div className="stack stack-24">
        <PromotionLines app={app} rows={view.rows} state={state} isRunning={isRunning(view)} />
      </div>
      <div className="stack stack-24">{view.latest?.state === 'COMPLETED' ? [plan, latest] : [latest, plan]}</div>
      <UnsavedGuard isDirty={state.values.size > 0 || state.ticks.size > 0} isReleased={() => state.isBusy} />
    </div>
  );
}
