/** Platform problems, for administrators: self-checks, and rows that Slipway skips because it cannot read them. */
import { platformHealthView, type PlatformHealth, type UnreadableRow } from '@slipway/contract/platform.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { Panel, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { Table, type Column } from '@slipway/ui/list/Table.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { useQuery } from '#kit/api/query.ts';
import { AdministratorPage, useIsAdministrator } from './AdministratorPage.tsx';

const POLL_MS = 5000;

export function Component() {
  const query = useQuery(platformHealthView, useIsAdministrator() && {}, { isAlwaysPolled: true, pollMs: () => POLL_MS });
  return (
    <AdministratorPage
      name="Platform health"
      lede="Readiness checks, and stored rows that cannot be read."
      what="the platform's health"
      noRight="The page of your service says how your service is."
      query={query}
    >
      <Health health={query.data} />
    </AdministratorPage>
  );
}

type Check = PlatformHealth['checks'][number];
/** Labels of checks. A check without a label is shown by its name. */
const checkLabels: Readonly<Record<string, string>> = {
  database: "Slipway's database",
  databases: 'Databases of apps',
  disk: 'Disk',
  pipelines: 'Pipelines',
  rows: 'Stored rows',
  schemaRegistry: 'Schema registry',
  services: 'Services and the edge',
  streaming: 'Event streaming',
};
function Answer({ answer }: Check) {
  if (answer === 'ok') return <Status tone="ok">OK</Status>;
  return <Status tone={answer === 'low' || answer.startsWith('degraded: ') ? 'warn' : 'bad'}>{answer}</Status>;
}
const checkColumns: Column<Check>[] = [
  { key: 'name', header: 'Check', phone: 'title', cell: ({ name }) => checkLabels[name] ?? name },
  { key: 'answer', header: 'Answer', phone: 'status', cell: (check) => <Answer {...check} /> },
];
const rowColumns: Column<UnreadableRow>[] = [
  { key: 'name', header: 'Row', phone: 'title', cell: ({ kind, name }) => `${kind} ${name}` },
  { key: 'detail', header: 'Problem', phone: 'meta', cell: ({ detail }) => <span className="mono">{detail}</span> },
  { key: 'reader', header: 'Left out by', phone: 'meta', cell: ({ reader }) => reader },
  { key: 'foundAt', header: 'Found', phone: 'meta', cell: ({ foundAt }) => <RelativeTime at={foundAt} /> },
];

function Health({ health }: { health: PlatformHealth | undefined }) {
  const rows = health?.unreadable ?? [];
  const total = health?.unreadableTotal ?? 0;
  return (
    <>
      <Panel aria-labelledby="checks">
        <PanelHead title="Checks" titleId="checks" note="The answers of /readyz" />
        <Table label="Checks" columns={checkColumns} rows={health?.checks ?? []} rowKey={({ name }) => name} isLoading={!health} />
      </Panel>
      <Panel aria-labelledby="unreadable">
        <PanelHead title="Unreadable rows" titleId="unreadable" note={count(total, 'row')} />
        {health && total === 0 ? (
          <EmptyState kind="first-use" title="Every row can be read">
            A row that the platform cannot read is left out and listed here. All others are served.
          </EmptyState>
        ) : (
          <Table
            phone="flow"
            label="Unreadable rows"
            columns={rowColumns}
            rows={rows}
            rowKey={({ reader, id }) => `${reader} ${id}`}
            isLoading={!health}
          />
        )}
      </Panel>
      {total > 0 && (
        <Notice tone="warn">Their instances keep running unchanged. Restore the row from a backup, or ask its team to deploy again.</Notice>
      )}
    </>
  );
}
