/** One browser monitor: vitals, errors, sessions, calls, and how to set it up. */
import { monitorKind } from '@slipway/contract/kinds/monitor.kind.ts';
import { monitorDelete, monitorList, monitorView, type Monitor } from '@slipway/contract/monitoring/monitor.ts';
import { Skeleton } from '@slipway/ui/feedback/Skeleton.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Details, type Detail } from '@slipway/ui/layout/Details.tsx';
import { Menu } from '@slipway/ui/overlay/Menu.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Code, Ellipsis, Trash2 } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { paths, type MonitorTab } from '#entities/paths.ts';
import { EntityBar, useExistsInOther } from '#entities/resource/EntityBar.tsx';
import { EntityPage, type Tabs } from '#entities/resource/EntityPage.tsx';
import { entityRoute, type EntityScreenProps } from '#entities/resource/entity-route.tsx';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { useRemoval } from '#kit/confirm/use-removal.ts';
import { disabledUnless } from '#kit/error/messages.ts';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { CallsTab } from './CallsTab.tsx';
import { ErrorsTab } from './ErrorsTab.tsx';
import type { MonitorPlace } from './monitor-place.ts';
import { OverviewTab } from './OverviewTab.tsx';
import { SessionsTab } from './SessionsTab.tsx';

const SetupTab = lazy(() => import('./SetupTab.tsx'));

const tabs: Tabs<MonitorTab> = [
  ['overview', 'Overview'],
  ['errors', 'Errors'],
  ['sessions', 'Sessions'],
  ['calls', 'Calls'],
  ['setup', 'Set up'],
];

/** Polls, because no change event announces payloads. */
export const { Component, preload } = entityRoute({
  kind: monitorKind,
  route: monitorView,
  query: { pollMs: 10_000, isAlwaysPolled: true },
  isMembersOnly: true,
  tabs,
  Screen: MonitorScreen,
});

function MonitorScreen({ place, tab, entity: monitor, at }: EntityScreenProps<MonitorPlace, Monitor, MonitorTab>) {
  const hasOther = useExistsInOther(monitorList, place.app, place.env, place.monitor);
  return (
    <EntityPage
      noun="Browser monitor"
      title={[place.monitor, place.app, place.env]}
      tabs={tabs}
      tab={tab}
      hrefOf={(name) => paths.monitor(place, name)}
      header={<Header place={place} monitor={monitor} team={at.team} isSetup={tab === 'setup'} />}
      bar={
        <EntityBar
          env={place.env}
          hrefOf={(env) => (env === place.env || hasOther ? paths.monitor({ ...place, env }, tab) : paths.monitors({ ...place, env }))}
        />
      }
    >
      {tab === 'overview' && <OverviewTab place={place} />}
      {tab === 'errors' && <ErrorsTab place={place} />}
      {tab === 'sessions' && <SessionsTab place={place} />}
      {tab === 'calls' && <CallsTab place={place} />}
      <Suspense fallback={null}>{tab === 'setup' && monitor && <SetupTab place={place} monitor={monitor} team={at.team} />}</Suspense>
    </EntityPage>
  );
}

interface HeaderProps {
  place: MonitorPlace;
  monitor: Monitor | undefined;
  team: string;
  isSetup: boolean;
}
function Header({ place, monitor, team, isSetup }: HeaderProps) {
  const { remove } = useRemoval({
    route: monitorDelete,
    input: { params: { ...place } },
    title: place.monitor,
    home: paths.monitors(place),
    description: 'This cannot be undone. Pages that still send get an answer that the SDK ignores.',
    consequences: ['Vitals, errors, sessions, calls and source maps are deleted'],
    confirmWord: place.monitor,
    freed: 'The name becomes free again.',
  });
  return (
    <PageHeader
      typeLabel="Browser monitor"
      name={place.monitor}
      copyText={place.monitor}
      isLoading={!monitor}
      actions={
        monitor && (
          <>
            <LinkButton href={paths.monitor(place, 'setup')} icon={<Code aria-hidden="true" />} variant={isSetup ? 'default' : 'primary'}>
              Set up
            </LinkButton>
            <Menu
              align="end"
              trigger={<IconButton label={`More actions for ${place.monitor}`} icon={<Ellipsis aria-hidden="true" />} />}
              items={[
                {
                  label: 'Delete browser monitor',
                  icon: <Trash2 aria-hidden="true" />,
                  isDanger: true,
                  onSelect: () => confirmAction(remove),
                  ...disabledUnless(monitor.can, 'delete', { team }),
                },
              ]}
            />
          </>
        )
      }
    >
      <Details items={monitor ? detailsOf(monitor) : waiting} />
    </PageHeader>
  );
}

const waiting: Detail[] = [
  { label: 'Last payload', value: <Skeleton width={80} /> },
  { label: 'Pages', value: <Skeleton width={160} /> },
  { label: 'Kept', value: <Skeleton width={60} /> },
  { label: 'App key', value: <Skeleton width={160} /> },
];
const detailsOf = ({ lastSeenAt, allowedOrigins, retentionDays, appKey }: Monitor): Detail[] => [
  { label: 'Last payload', value: lastSeenAt === null ? 'None yet' : <RelativeTime at={lastSeenAt} /> },
  { label: 'Pages', value: allowedOrigins.join(', '), isWide: true },
  { label: 'Kept', value: `${retentionDays} days` },
  { label: 'App key', value: <code>{appKey}</code>, copyText: appKey, isWideOnly: true },
];
