/** The replicas of the platform: version, what they do, heartbeat, and which one drives the runtime. */
import type { Replica } from '@slipway/contract/operations.ts';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Panel, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { Table, type Column } from '@slipway/ui/list/Table.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { TwoLines } from '@slipway/ui/text/TwoLines.tsx';

function Does({ roles, leaseSince, isThis }: Replica) {
  return (
    <>
      {roles.join(', ')}
      {isThis && ', answers here'}
      {leaseSince && (
        <>
          , drives the runtime since <RelativeTime at={leaseSince} isShort />
        </>
      )}
    </>
  );
}
const columns: Column<Replica>[] = [
  { key: 'name', header: 'Replica', phone: 'title', cell: (replica) => <TwoLines below={<Does {...replica} />}>{replica.name}</TwoLines> },
  {
    key: 'state',
    header: 'State',
    phone: 'status',
    cell: ({ isAlive, seenAt, startedAt, version }) => (
      <TwoLines
        isUnderStatus
        below={
          <>
            {version}, started <RelativeTime at={startedAt} isShort />
          </>
        }
      >
        {isAlive ? (
          <Status tone="ok">Alive</Status>
        ) : (
          <Status tone="bad">
            Away, last seen <RelativeTime at={seenAt} isShort />
          </Status>
        )}
      </TwoLines>
    ),
  },
];

export function ReplicasPanel({ replicas, version }: { replicas: Replica[] | undefined; version: string | undefined }) {
  const others = new Set(replicas?.filter(({ isAlive }) => isAlive).map((replica) => replica.version));
  return (
    <Panel aria-labelledby="replicas">
      <PanelHead
        title="Replicas"
        titleId="replicas"
        {...(version === undefined ? {} : { note: others.size > 1 ? 'Two versions run: an upgrade is under way' : `Slipway ${version}` })}
      />
      <Table label="Replicas" columns={columns} rows={replicas ?? []} rowKey={({ id }) => id} isLoading={!replicas} />
    </Panel>
  );
}
