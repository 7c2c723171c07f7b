/** The revisions created from an image, live ones first. */
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { cellMain, Table, type Column } from '@slipway/ui/list/Table.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { paths } from '#entities/paths.ts';
import { revisionLook } from '#entities/status.ts';
import { EnvironmentDisc, type Run } from '#features/registry/RunsIn.tsx';

function State({ run: { isLive, isServing, status } }: { run: Run }) {
  if (!isLive) return <Status tone="off">Disabled</Status>;
  const { tone, word } = revisionLook[status];
  return (
    <Status tone={tone}>
      {word}
      {isServing && ', serves'}
    </Status>
  );
}

const columnsFor = (app: string): Column<Run>[] => [
  {
    key: 'environment',
    header: 'Environment',
    phone: 'meta',
    cell: ({ environment }) => (
      <span className="row">
        <EnvironmentDisc environment={environment} /> {environment === 'production' ? 'Production' : 'Development'}
      </span>
    ),
  },
  {
    key: 'revision',
    header: 'Revision',
    phone: 'title',
    cell: ({ environment: env, service, revision }) => (
      <Link className={cellMain} href={paths.revision({ app, env, service, revision })}>
        {revision}
      </Link>
    ),
  },
  { key: 'state', header: 'State', phone: 'status', cell: (run) => <State run={run} /> },
  { key: 'since', header: 'Since', phone: 'end', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
  { key: 'by', header: 'By', cell: ({ createdBy }) => createdBy },
];

export function RunsPanel({ app, runs }: { app: string; runs: readonly Run[] }) {
  return (
    <Panel aria-labelledby="runs">
      <PanelHead title="Where it runs and ran" titleId="runs" />
      <Table
        label="Revisions of this image"
        columns={columnsFor(app)}
        rows={[...runs]}
        rowKey={({ environment, revision }) => `${environment}/${revision}`}
        empty={
          <EmptyState kind="first-use" title="No revision uses this image" isCompact>
            Deploy it with the pipeline of a service.
          </EmptyState>
        }
      />
    </Panel>
  );
}
