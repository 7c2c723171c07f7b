/** The browser monitors of an app in one environment. */
import { monitorList, type Monitor } from '@slipway/contract/monitoring/monitor.ts';
import type { Column } from '@slipway/ui/list/Table.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { paths } from '#entities/paths.ts';
import { useAppPlace } from '#entities/team/use-app-place.ts';
import { useQuery } from '#kit/api/query.ts';
import { nameColumn } from '#kit/list/columns.tsx';
import { FirstUse } from '#kit/list/FirstUse.tsx';
import { listDefaults, useListControl } from '#kit/list/list-control.ts';
import { NewLink } from '#kit/list/NewLink.tsx';
import { ResourceList } from '#kit/list/ResourceList.tsx';
import { MembersOnly } from '#kit/page/MembersOnly.tsx';

const columns: Column<Monitor>[] = [
  nameColumn(
    'Browser monitor',
    ({ app, environment, name }) => paths.monitor({ app, env: environment, monitor: name }),
    ({ name }) => name,
  ),
  {
    key: 'origins',
    header: 'Pages',
    phone: 'meta',
    cell: ({ allowedOrigins }) => <span className="quiet">{allowedOrigins.join(', ')}</span>,
  },
  {
    key: 'kept',
    header: 'Kept',
    align: 'end',
    isRoomy: true,
    cell: ({ retentionDays }) => <span className="num">{retentionDays} days</span>,
  },
  {
    key: 'seen',
    header: 'Last payload',
    align: 'end',
    phone: 'end',
    cell: ({ lastSeenAt }) => (lastSeenAt === null ? <span className="meta">None yet</span> : <RelativeTime at={lastSeenAt} isShort />),
  },
];

export function Component() {
  const { app, env, createReason, isMember, noRight } = useAppPlace();
  const control = useListControl(listDefaults);
  const list = useQuery(monitorList, isMember === true && env !== undefined && { params: { app, env }, query: control.filter }, {
    keepPreviousData: true,
  });
  if (env === undefined) return null;
  if (isMember === false) return <MembersOnly label="Browser monitors">{noRight}</MembersOnly>;
  return (
    <ResourceList
      label="Browser monitors"
      noun="browser monitor"
      plural="browser monitors"
      list={list}
      control={control}
      columns={columns}
      rowKey={({ name }) => name}
      loadingRows={2}
      searchLabel="Filter browser monitors"
      newLink={<NewLink label="New browser monitor" href={paths.newMonitor({ app, env })} reason={createReason} />}
      firstUse={{
        title: `No browser monitors in ${env} yet`,
        text: (
          <FirstUse
            purpose="A browser monitor shows how fast pages are for their users, which errors they meet, and which calls are slow."
            label="Your pages send to it with this library. The monitor’s page has the rest of the code."
            code="npm install @grafana/faro-web-sdk"
          />
        ),
      }}
    />
  );
}
