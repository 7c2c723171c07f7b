/** The services of an app in one environment, with what serves and how it is used. */
import type { Application } from '@slipway/contract/application.ts';
import { serviceList, type Service } from '@slipway/contract/service/service.ts';
import { InstanceDots, type Berth } from '@slipway/ui/figures/InstanceDots.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { cssVars } from '@slipway/ui/css-vars.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { MiddleTruncate } from '@slipway/ui/text/MiddleTruncate.tsx';
import { Pagination } from '@slipway/ui/list/Pagination.tsx';
import { Panel } from '@slipway/ui/layout/Panel.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { SearchInput } from '@slipway/ui/form/SearchInput.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { cellMain, Table, type Column } from '@slipway/ui/list/Table.tsx';
import { useQuery } from '#kit/api/query.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { reasonOf } from '#kit/error/messages.ts';
import { paths, type AppRef } from '#entities/paths.ts';
import { useUrlState, useSearchText } from '#kit/state/url-state.ts';
import { serviceLook } from './app-health.ts';
import css from './ServiceList.module.css';

const defaults = { query: '', page: 0 };
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

const servicesCall = (place: AppRef, { query, page }: typeof defaults) => ({
  params: { ...place },
  query: { page, size: pageSize, ...(query ? { query } : {}) },
});
/** What the list asks for when it opens without a filter. */
export const firstServices = (place: AppRef) => servicesCall(place, defaults);

export function ServiceList({ app, place }: { app: Application | undefined; place: AppRef }) {
  const { state, set, hrefOf } = useUrlState(defaults);
  const [text, setText] = useSearchText(state.query, (query) => set({ query }, { replace: true }));
  const list = useQuery(serviceList, app && servicesCall(place, state), { keepPreviousData: true });
  const services = list.data?.content ?? [];
  const ready = services.reduce((sum, { status }) => sum + status.replicasReady, 0);
  const wanted = services.reduce((sum, { status }) => sum + status.replicasWanted, 0);
  const isEmpty = list.data?.totalElements === 0 && state.query === '';
  return (
    <div className="stack stack-12">
      {!isEmpty && (
        <div className="row row-wrap">
          <SearchInput className={css.search} hasShortcut label="Filter services" value={text} onChange={setText} />
          {list.data && (
            <span className="meta push num">
              {list.data.totalElements} {list.data.totalElements === 1 ? 'service' : 'services'}, {ready} of {wanted} instances ready
            </span>
          )}
        </div>
      )}
      <Panel aria-label="Services">
        {list.error && !list.data ? (
          <ListError what="services" query={list} />
        ) : (
          <Table
            label="Services"
            density="tall"
            columns={columns}
            rows={services}
            rowKey={(service) => service.name}
            isLoading={!list.data}
            loadingRows={Math.min(Math.max(app?.serviceCount ?? 1, 1), 8)}
            empty={<NoServices app={app} place={place} query={state.query} onClear={() => set(defaults)} />}
          />
        )}
      </Panel>
      <Pagination
        label="services"
        page={state.page + 1}
        pageCount={list.data?.totalPages ?? 1}
        hrefOf={(page) => hrefOf({ page: page - 1 })}
      />
    </div>
  );
}

function NoServices(props: { app: Application | undefined; place: AppRef; query: string; onClear: () => void }) {
  const { app, place, query, onClear } = props;
  if (query !== '') {
    return (
      <EmptyState
        level={2}
        kind="no-match"
        title={`No service is called “${query}”`}
        actions={<Button onClick={onClear}>Clear the filter</Button>}
      >
        Services are hidden by the filter.
      </EmptyState>
    );
  }
  const reason = reasonOf(app?.can, 'createService', { team: app?.teamName ?? '' });
  return (
    <EmptyState
      level={2}
      kind="first-use"
      title={`No services in ${place.env} yet`}
      actions={
        <LinkButton href={paths.newService(place)} {...(reason === undefined ? {} : { disabledReason: reason })}>
          New service
        </LinkButton>
      }
    >
      A service is a program that runs here from an image, with its own URL, settings and revisions.
      {reason !== undefined && ` ${reason}.`}
    </EmptyState>
  );
}
