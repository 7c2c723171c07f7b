/** Services that fail, what differs from its engine, and stored rows that nobody can read. */
import type { Degraded, Operations } from '@slipway/contract/operations.ts';
import { kindOf, subjectPath } from '@slipway/contract/kinds.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelFoot, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { Table, type Column } from '@slipway/ui/list/Table.tsx';
import { TwoLines } from '@slipway/ui/text/TwoLines.tsx';
import { paths } from '#entities/paths.ts';

const columns: Column<Degraded>[] = [
  {
    key: 'name',
    header: 'Resource',
    phone: 'title',
    cell: ({ subject, app, env }) => (
      <TwoLines below={`${kindOf(subject.kind)?.label ?? subject.kind} · ${app} · ${env}`}>
        <Link href={subjectPath(subject) ?? paths.app({ app, env })}>{subject.name}</Link>
      </TwoLines>
    ),
  },
  {
    key: 'problem',
    header: 'Problem',
    phone: 'status',
    cell: ({ problem }) =>
      problem === 'FAILING' ? <Status tone="bad">Failing</Status> : <Status tone="warn">Differs from its engine</Status>,
  },
];

export function DegradedPanel({ operations }: { operations: Operations | undefined }) {
  const { degraded, isMoreDegraded, unreadable } = operations ?? { degraded: undefined, isMoreDegraded: false, unreadable: 0 };
  return (
    <Panel aria-labelledby="degraded">
      <PanelHead title="Degraded" titleId="degraded" {...(isMoreDegraded ? { note: `The first ${degraded?.length ?? 0}` } : {})} />
      {degraded?.length === 0 ? (
        <EmptyState level={3} kind="first-use" title="Nothing is degraded" isCompact>
          Services that fail, and topics, schemas and accounts that differ from their engine, are listed here.
        </EmptyState>
      ) : (
        <Table label="Degraded" columns={columns} rows={degraded ?? []} rowKey={({ subject }) => subject.key} isLoading={!degraded} />
      )}
      {unreadable > 0 && (
        <PanelFoot>
          <Link href={paths.platformHealth()}>{count(unreadable, 'stored row')} cannot be read</Link>
        </PanelFoot>
      )}
    </Panel>
  );
}
