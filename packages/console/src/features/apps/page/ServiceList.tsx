/** The services of an app in one environment, with the serving revision and usage. */
import type { Application } from '@slipway/contract/application.ts';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import { serviceList, type Service } from '@slipway/contract/service/service.ts';
import { InstanceDots, type Berth } from '@slipway/ui/figures/InstanceDots.tsx';
import { cssVars } from '@slipway/ui/css-vars.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { MiddleTruncate } from '@slipway/ui/text/MiddleTruncate.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { cellMain, type Column } from '@slipway/ui/list/Table.tsx';
import type { ReactNode } from 'react';
import { useQuery } from '#kit/api/query.ts';
import { FirstUse } from '#kit/list/FirstUse.tsx';
import { listDefaults, listFilter, useListControl, type ListFilter } from '#kit/list/list-control.ts';
import { totalLabel } from '#kit/list/list-total.ts';
import { ResourceList } from '#kit/list/ResourceList.tsx';
import { reasonOf } from '#kit/error/messages.ts';
import { paths, type AppRef } from '#entities/paths.ts';
import { serviceLook } from './app-health.ts';
import css from './ServiceList.module.css';

const pageSize = 50;
const none = '–';

const berthsOf = ({ replicasReady, replicasWanted }: Service['status']): Berth[] => {
  const wanted = Math.max(replicasWanted, replicasReady);
  return Array.from({ length: Math.min(wanted, 10) }, (_, index) => (index < replicasReady ? 'ready' : 'starting'));
};

const revisionNumber = (name: string | null): string => name?.slice(name.lastIndexOf('-') + 1) ?? none;
const number = (value: number | null): string => (value === null ? none : value.toLocaleString('en'));
const milliseconds = (value: number | null): string => {
  if (value === null) return none;
  return value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(2)} s`;
};

function Instances({ status }: Pick<Service, 'status'>) {
  const berths = berthsOf(status);
  if (berths.length === 0) return none;
  return (
    <span className={css.instances}>
      <span className={css.berths} style={cssVars({ '--count': berths.length })}>
        <InstanceDots berths={berths} />
      </span>
      <span className="meta num">
        {status.replicasReady}/{status.replicasWanted}
      </span>
    </span>
  );
}

const ref = (service: Service) => ({ app: service.app, env: service.environment, service: service.name });

const columns: Column<Service>[] = [
  {
    key: 'name',
    header: 'Service',
    phone: 'title',
    cell: (service) => (
      <Link className={cellMain} href={paths.service(ref(service))}>
        <MiddleTruncate text={service.name} tail={10} className={css.name ?? ''} />
      </Link>
    ),
  },
  {
    key: 'status',
    header: 'Status',
    phone: 'status',
    cell: (service) => {
      const { tone, word } = serviceLook(service);
      return <Status tone={tone}>{word}</Status>;
    },
  },
  { key: 'revision', header: 'Revision', cell: ({ status }) => revisionNumber(status.serving) },
  {
    key: 'imageTag',
    header: 'Image tag',
    phone: 'meta',
    cell: ({ status }) => (status.imageTag ? <MiddleTruncate text={status.imageTag} isMono className={`quiet ${css.tag}`} /> : none),
  },
  {
    key: 'instances',
    header: 'Instances',
    cell: ({ status }) => <Instances status={status} />,
  },
  { key: 'requests', header: 'Requests/min', align: 'end', cell: ({ status }) => number(status.requestsPerMinute) },
  { key: 'errors', header: 'Errors/min', align: 'end', cell: ({ status }) => number(status.errorsPerMinute) },
  {
    key: 'p95',
    header: 'p95',
    align: 'end',
    cell: ({ status }) => <span className={css.short}>{milliseconds(status.requestsPerMinute ? status.p95Ms : null)}</span>,
  },
  {
    key: 'deployed',
    header: 'Deployed',
    align: 'end',
    phone: 'end',
    cell: ({ status }) => (
      <span className={`meta ${css.short}`}>{status.lastDeployAt ? <RelativeTime at={status.lastDeployAt} isShort /> : 'never'}</span>
    ),
  },
];

const servicesCall = (place: AppRef, query: ListFilter) => ({ params: { ...place }, query });
/** The list's first request when no filter is set. */
export const firstServices = (place: AppRef) => servicesCall(place, listFilter(listDefaults, pageSize));

/** "3 services, 4 of 5 instances ready". */
const noteOf = (list: Page<Service>): ReactNode => {
  const sum = (of: (status: Service['status']) => number) => list.content.reduce((total, { status }) => total + of(status), 0);
  const ready = sum(({ replicasReady }) => replicasReady);
  return (
    <span className="meta push num">
      {totalLabel(list, 'service', 'services')}, {ready} of {sum(({ replicasWanted }) => replicasWanted)} instances ready
    </span>
  );
};

export function ServiceList({ app, place }: { app: Application | undefined; place: AppRef }) {
  const control = useListControl(listDefaults, pageSize);
  const list = useQuery(serviceList, app && servicesCall(place, control.filter), { keepPreviousData: true });
  const reason = reasonOf(app?.can, 'createService', { team: app?.teamName ?? '' });
  const purpose = `A service is a program that runs here from an image, with its own URL, settings and revisions.${reason === undefined ? '' : ` ${reason}.`}`;
  return (
    <div className="stack stack-12">
      <ResourceList
        label="Services"
        noun="service"
        plural="services"
        list={list}
        control={control}
        columns={columns}
        rowKey={(service) => service.name}
        density="tall"
        loadingRows={Math.min(Math.max(app?.serviceCount ?? 1, 1), 8)}
        searchLabel="Filter services"
        note={list.data && noteOf(list.data)}
        firstUse={{
          title: `No services in ${place.env} yet`,
          text:
            place.env === 'production' ? (
              purpose
            ) : (
              <FirstUse
                purpose={purpose}
                label="Each push builds and deploys a service that has a repository"
                code="git push origin main"
              />
            ),
          actions: (
            <>
              {place.env === 'production' && (
                <LinkButton href={paths.promoteApp(place)} variant="primary" disabledReason={reason}>
                  Promote from development
                </LinkButton>
              )}
              <LinkButton href={paths.newService(place)} disabledReason={reason}>
                New service
              </LinkButton>
            </>
          ),
        }}
      />
    </div>
  );
}
