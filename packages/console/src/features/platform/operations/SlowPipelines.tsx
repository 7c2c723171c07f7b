/** Active pipelines, those that were started first on top, with what they wait for. */
import type { Operations } from '@slipway/contract/operations.ts';
import { pipelineTypeLabel } from '@slipway/contract/pipeline/pipeline-types.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { Table, type Column } from '@slipway/ui/list/Table.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { TwoLines } from '@slipway/ui/text/TwoLines.tsx';
import { pipelinePath } from '#entities/paths.ts';

type SlowPipeline = Operations['pipelines'][number];
const columns: Column<SlowPipeline>[] = [
  {
    key: 'pipeline',
    header: 'Pipeline',
    phone: 'title',
    cell: (pipeline) => (
      <TwoLines below={pipeline.message ?? 'Waits for a worker'}>
        <Link href={pipelinePath(pipeline)}>
          {pipelineTypeLabel(pipeline.pipelineType) ?? pipeline.pipelineType} {pipeline.subject.name}
        </Link>
      </TwoLines>
    ),
  },
  {
    key: 'age',
    header: 'Started',
    phone: 'end',
    align: 'end',
    cell: ({ creationTimestamp }) => <RelativeTime at={creationTimestamp} isShort />,
  },
];

export function SlowPipelines({ pipelines }: { pipelines: SlowPipeline[] | undefined }) {
  return (
    <Panel aria-labelledby="slow-pipelines">
      <PanelHead title="Pipelines that run longest" titleId="slow-pipelines" />
      {pipelines?.length === 0 ? (
        <EmptyState level={3} kind="first-use" title="No pipeline runs" isCompact>
          A pipeline that waits for an engine is listed here with its reason.
        </EmptyState>
      ) : (
        <Table
          label="Pipelines that run longest"
          columns={columns}
          rows={pipelines ?? []}
          rowKey={({ pipelineId }) => pipelineId}
          isLoading={!pipelines}
        />
      )}
    </Panel>
  );
}
