/** The queues of the platform: how many entries wait, and for how long. */
import { queues as known, type Queue } from '@slipway/contract/operations.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { Table, type Column } from '@slipway/ui/list/Table.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';

type QueueId = keyof typeof known;
const isKnown = (id: string): id is QueueId => Object.hasOwn(known, id);

function Name({ id }: Queue) {
  if (!isKnown(id)) return id;
  const { label, path } = known[id];
  return path === null ? label : <Link href={path}>{label}</Link>;
}
const columns: Column<Queue>[] = [
  { key: 'queue', header: 'Queue', phone: 'title', cell: (queue) => <Name {...queue} /> },
  {
    key: 'count',
    header: 'Entries',
    phone: 'end',
    align: 'end',
    cell: ({ count, isCountAtLeast }) => (
      <span className={count === 0 ? 'num quiet' : 'num'}>
        {count.toLocaleString('en')}
        {isCountAtLeast && '+'}
      </span>
    ),
  },
  {
    key: 'oldest',
    header: 'Oldest',
    phone: 'meta',
    align: 'end',
    cell: ({ oldestAt }) => (oldestAt ? <RelativeTime at={oldestAt} isShort /> : <span className="quiet">–</span>),
  },
];

export function QueuesPanel({ queues }: { queues: Queue[] | undefined }) {
  return (
    <Panel aria-labelledby="queues">
      <PanelHead title="Queues" titleId="queues" note="In Slipway's database" />
      <Table label="Queues" columns={columns} rows={queues ?? []} rowKey={({ id }) => id} isLoading={!queues} density="compact" />
    </Panel>
  );
}
