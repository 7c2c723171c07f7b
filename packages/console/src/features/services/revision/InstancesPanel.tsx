/** The instances of a revision, live: state, usage against limits, restarts, and how the last run ended. */
import { exitText } from '@slipway/contract/service/instance-event-texts.ts';
import type { Instance, Revision } from '@slipway/contract/service/revision.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { DurationText } from '@slipway/ui/text/DurationText.tsx';
import { Gauge } from '@slipway/ui/figures/Gauge.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Table, type Column } from '@slipway/ui/list/Table.tsx';
import { megabytes } from '@slipway/ui/format/bytes.ts';
import type { FailedQuery } from '#kit/api/query.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { instanceLook } from '#entities/status.ts';
import css from './InstancesPanel.module.css';

export interface InstancesPanelProps {
  revision: Revision;
  instances: readonly Instance[] | undefined;
  query: FailedQuery;
  /** URL of this page with the log of one instance, or of its previous run if `isPrevious`. */
  logHrefOf: (instance: string, isPrevious?: boolean) => string;
}

const none = '–';
const shortId = ({ id }: Instance, { service }: Revision): string => id.replace(`${service}-`, '');

const columnsOf = ({ revision, logHrefOf }: InstancesPanelProps): Column<Instance>[] => {
  const { cpuMillicores, memoryMegabytes } = revision.spec.resources;
  return [
    { key: 'id', header: 'Instance', phone: 'title', cell: (instance) => <code title={instance.id}>{shortId(instance, revision)}</code> },
    {
      key: 'state',
      header: 'State',
      phone: 'status',
      cell: ({ state }) => <Status tone={instanceLook[state].tone}>{instanceLook[state].word}</Status>,
    },
    { key: 'since', header: 'Since', phone: 'meta', cell: ({ since }) => <DurationText from={since} /> },
    { key: 'node', header: 'Node', phone: 'meta', isRoomy: true, cell: ({ node }) => <span className={css.node}>{node}</span> },
    { key: 'port', header: 'Port', phone: 'meta', isRoomy: true, cell: ({ port }) => <span className="num">{port ?? none}</span> },
    {
      key: 'cpu',
      header: `CPU of ${cpuMillicores} m`,
      phone: 'meta',
      cell: ({ cpuMillicores: used }) =>
        used === null ? (
          none
        ) : (
          <Gauge label={`CPU ${Math.round(used)} of ${cpuMillicores} m`} value={used} of={cpuMillicores}>
            {Math.round(used)} m
          </Gauge>
        ),
    },
    {
      key: 'memory',
      header: `Memory of ${megabytes(memoryMegabytes)}`,
      phone: 'meta',
      cell: ({ memoryMegabytes: used }) =>
        used === null ? (
          none
        ) : (
          <Gauge label={`Memory ${Math.round(used)} of ${memoryMegabytes} MB`} value={used} of={memoryMegabytes}>
            {Math.round(used)} MB
          </Gauge>
        ),
    },
    {
      key: 'restarts',
      header: 'Restarts',
      phone: 'meta',
      cell: ({ id, restarts, lastExit }) => (
        <span className={css.exit}>
          <span>
            <span className="num">{restarts}</span>
            {restarts > 0 && (
              <>
                {' '}
                <Link className="in" href={logHrefOf(id, true)}>
                  log before
                </Link>
              </>
            )}
          </span>
          {lastExit && (
            <span className="meta">
              {exitText(lastExit)}, <RelativeTime at={lastExit.at} isShort />
            </span>
          )}
        </span>
      ),
    },
    {
      key: 'logs',
      header: 'Logs',
      isHeaderHidden: true,
      align: 'end',
      phone: 'action',
      cell: (instance) => (
        <Link href={logHrefOf(instance.id)} aria-label={`Logs of ${instance.id}`}>
          Logs
        </Link>
      ),
    },
  ];
};

export function InstancesPanel(props: InstancesPanelProps) {
  const { revision, instances, query } = props;
  const { replicasReady, replicasWanted, enabled, status } = revision;
  return (
    <Panel aria-labelledby="instances">
      <PanelHead
        title="Instances"
        titleId="instances"
        {...(replicasWanted > 0 || replicasReady > 0 ? { note: `${replicasReady} of ${replicasWanted} ready` } : {})}
      />
      {query.error && !instances ? (
        <ListError what="instances" query={query} />
      ) : (
        <Table
          label="Instances"
          phone="flow"
          columns={columnsOf(props)}
          rows={[...(instances ?? [])]}
          rowKey={(instance) => instance.id}
          isLoading={!instances}
          loadingRows={Math.max(1, replicasWanted)}
          empty={
            <EmptyState kind="first-use" isCompact title="No instance runs">
              {emptyLabel(enabled, status)}
            </EmptyState>
          }
        />
      )}
    </Panel>
  );
}

const emptyLabel = (enabled: boolean, status: Revision['status']): string => {
  if (status === 'FAILING') return 'Its deploy failed, so its instances were stopped. Events and log below say why.';
  if (status === 'DELETED') return 'This revision is deleted. Its settings, events and log are kept.';
  return enabled
    ? 'Nothing is wanted of it right now: the service is inactive, or its instances are about to start.'
    : 'This revision is disabled. Enabling it starts its instances again.';
};
