/** One service in one environment: current metrics and revisions, pipelines, activity. */
import { applicationView, type Application } from '@slipway/contract/application.ts';
import { environmentOf, type Environment } from '@slipway/contract/kernel/fields.ts';
import { revisionList } from '@slipway/contract/service/revision.ts';
import { servicePipelineList, serviceView, type Service } from '@slipway/contract/service/service.ts';
import { Outlet, useLocation, useParams, type Params } from 'react-router';
import { preloadQuery, useQuery } from '#kit/api/query.ts';
import { FreezeNotice } from '#entities/application/index.ts';
import { ActivityPanel } from '#entities/activity/ActivityPanel.tsx';
import { PageError } from '#entities/PageError.tsx';
import { NotFound } from '#entities/NotFound.tsx';
import { paths, type ServiceRef } from '#entities/paths.ts';
import { EntityPage, MissingTab, type Tabs } from '#entities/resource/EntityPage.tsx';
import { DiagnosisCard } from '#entities/diagnosis/DiagnosisCard.tsx';
import { ServiceDialogs } from '#features/services/dialogs/ServiceDialogs.tsx';
import { useTeamOwners } from '#entities/team/use-team-owners.ts';
import { ServiceMetrics } from '#features/services/metrics/ServiceMetrics.tsx';
import { ServiceTraces } from '#features/services/traces/ServiceTraces.tsx';
import { firstRevisions, RevisionList } from '#features/services/revision/RevisionList.tsx';
import { ServiceHeader } from './ServiceHeader.tsx';
import { ServiceLifecycleNotice } from './ServiceLifecycleNotice.tsx';
import { ServiceCurrentMetrics } from './ServiceCurrentMetrics.tsx';
import { ServicePipelines } from './ServicePipelines.tsx';
import { ServiceBar } from './ServiceBar.tsx';
import { SpecPanel } from '#features/services/revision/SpecPanel.tsx';
import { PastFailure } from './PastFailure.tsx';
import { isStopped, useServiceDiagnosis } from './use-service-diagnosis.ts';
import { WaitingChanges } from './WaitingChanges.tsx';
import { WhoToAsk } from './WhoToAsk.tsx';

type Tab = 'revisions' | 'pipelines' | 'metrics' | 'traces' | 'secret-manager' | 'settings' | 'activity-logs';
const tabs: Tabs<Tab> = [
  ['revisions', 'Revisions'],
  ['pipelines', 'Pipelines'],
  ['metrics', 'Metrics'],
  ['traces', 'Traces'],
  ['secret-manager', 'Secret manager'],
  ['settings', 'Settings'],
  ['activity-logs', 'Activity logs'],
];
const isTab = (value: string): value is Tab => tabs.some(([tab]) => tab === value);
/** Tabs rendered by other features have their own URLs. */
const filledElsewhere: readonly Tab[] = ['secret-manager', 'settings'];
const tabOfPath = (pathname: string): Tab => filledElsewhere.find((tab) => pathname.endsWith(`/${tab}`)) ?? 'revisions';

/** Requests and memory change without a change event. */
const figuresMs = 5000;

export function Component() {
  const { pathname } = useLocation();
  const { app = '', env: segment = '', service = '', tab = tabOfPath(pathname) } = useParams();
  const env = environmentOf(segment);
  const query = useQuery(serviceView, env && { params: { app, env, service } }, { pollMs: figuresMs, isAlwaysPolled: true });
  if (env === undefined) return <NotFound />;
  if (query.error && !query.data) return <PageError what={`service ${service}`} query={query} />;
  if (!isTab(tab)) return <MissingTab noun="Service" name={service} segment={tab} href={paths.service({ app, env, service })} />;
  return <ServiceScreen key={`${env}/${service}`} place={{ app, env, service }} tab={tab} service={query.data} />;
}

/** Prefetches the page's data while the pointer is over a link to it. */
export const preload = ({ app = '', env: segment = '', service = '' }: Params): void => {
  const env = environmentOf(segment);
  if (env === undefined) return;
  const place = { app, env, service };
  preloadQuery(serviceView, { params: place });
  preloadQuery(revisionList, firstRevisions(place));
};

interface ScreenProps {
  place: ServiceRef & { env: Environment };
  tab: Tab;
  service: Service | undefined;
}

/** A page size of one is enough to read the total. */
const useCounts = (place: ServiceRef): Partial<Record<Tab, { count: number }>> => {
  const input = { params: { ...place }, query: { size: 1 } };
  const revisions = useQuery(revisionList, input).data?.totalElements;
  const pipelines = useQuery(servicePipelineList, input).data?.totalElements;
  return {
    ...(revisions === undefined ? {} : { revisions: { count: revisions } }),
    ...(pipelines === undefined ? {} : { pipelines: { count: pipelines } }),
  };
};

function ServiceScreen({ place, tab, service }: ScreenProps) {
  const { data: app } = useQuery(applicationView, { params: { app: place.app } });
  const counts = useCounts(place);
  const { failing, diagnosis } = useServiceDiagnosis(place, service);
  const isShown = diagnosis !== null && tab === 'revisions';
  // The service is healthy, so a failed and stopped revision takes only one line.
  const isPast = isShown && failing !== undefined && isStopped(failing) && service?.active === true && diagnosis.stillServing !== null;
  const hasCard = isShown && !isPast;
  const team = app?.teamName ?? '';
  return (
    <EntityPage
      noun="Service"
      title={[place.service, place.app, place.env]}
      tabs={tabs}
      tab={tab}
      hrefOf={(name) => paths.service(place, name)}
      counts={counts}
      header={
        <>
          {service && <ServiceDialogs service={service} />}
          <ServiceHeader
            place={place}
            service={service}
            team={team}
            // Unsaved settings have their own primary button, and so does the card.
            hasDiagnosis={tab === 'settings' || hasCard}
          />
        </>
      }
      bar={<ServiceBar place={place} service={service} href={paths.service(place, tab)} tab={tab} />}
    >
      <FreezeNotice app={place.app} env={place.env} />
      <WaitingChanges place={place} />
      {service && <ServiceLifecycleNotice service={service} team={team} hasDiagnosis={hasCard} />}
      {isPast && <PastFailure place={place} revision={failing} diagnosis={diagnosis} />}
      {hasCard && failing && (
        <DiagnosisCard place={{ ...place, revision: failing.name }} diagnosis={diagnosis} isOver={isStopped(failing)} />
      )}
      {tab === 'revisions' && <Revisions place={place} service={service} app={app} />}
      {tab === 'pipelines' && <ServicePipelines place={place} service={service} />}
      {tab === 'metrics' && <ServiceMetrics place={place} />}
      {tab === 'traces' && <ServiceTraces place={place} />}
      {filledElsewhere.includes(tab) && <Outlet />}
      {tab === 'activity-logs' && <ServiceActivity place={place} app={app} />}
    </EntityPage>
  );
}

function Revisions({ place, service, app }: Pick<ScreenProps, 'place' | 'service'> & { app: Application | undefined }) {
  return (
    <>
      {(!service || service.state === 'ACTIVE') && <ServiceCurrentMetrics place={place} service={service} />}
      <div className="split split-side">
        <RevisionList place={place} service={service} />
        <aside className="stack" aria-label="About this service">
          {app && <WhoToAsk app={app} />}
          {service && <SpecPanel spec={service.spec} isShort link={{ label: 'Settings', href: paths.serviceSettings(place) }} />}
        </aside>
      </div>
    </>
  );
}

function ServiceActivity({ place, app }: { place: ScreenProps['place']; app: Application | undefined }) {
  const owners = useTeamOwners(app?.teamId);
  return <ActivityPanel scope={place} noRight={app && `You are not in ${app.teamName}.${owners ? ` Ask ${owners} to add you.` : ''}`} />;
}
