/** Compares development and production key by key: missing and different keys. Values are compared on the server and never shown. */
import { secretEnvironmentCompare, type SecretEnvironmentComparison } from '@slipway/contract/secret/secret-group.ts';
import { Checkbox } from '@slipway/ui/form/Checkbox.tsx';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import type { Column, RowGroup } from '@slipway/ui/list/Table.tsx';
import { isStatus } from '#kit/api/errors.ts';
import { useQuery } from '#kit/api/query.ts';
import { ListPanel } from '#kit/list/ListPanel.tsx';
import { useUrlState } from '#kit/state/url-state.ts';
import { Present, StateWord } from '#features/secrets/EnvironmentCells.tsx';
import { SecretsNoRight } from '#features/secrets/SecretsNoRight.tsx';

const defaults = { differences: '' };
type Compared = SecretEnvironmentComparison['groups'][number];
type Row = Compared['keys'][number] & { group: string };

const columns: Column<Row>[] = [
  { key: 'key', header: 'Key', cell: ({ key }) => <span className="mono">{key}</span> },
  { key: 'development', header: 'Development', cell: ({ state }) => <Present isPresent={state !== 'ONLY_PRODUCTION'} /> },
  { key: 'production', header: 'Production', cell: ({ state }) => <Present isPresent={state !== 'ONLY_DEVELOPMENT'} /> },
  { key: 'result', header: 'Result', cell: ({ state }) => <StateWord state={state} /> },
];

const versionLabel = ({ development, production }: Compared): string =>
  [
    development === null ? 'not in development' : `development v${development}`,
    production === null ? 'not in production' : `production v${production}`,
  ].join(', ');

const groupsOf = (groups: readonly Compared[], isOnlyDifferent: boolean): RowGroup<Row>[] =>
  groups.map((group) => ({
    key: group.name,
    label: (
      <>
        {group.name} <span className="meta">{versionLabel(group)}</span>
      </>
    ),
    rows: group.keys.filter(({ state }) => !isOnlyDifferent || state !== 'SAME').map((key) => ({ ...key, group: group.name })),
  }));

export function EnvironmentGrid({ app, noRight }: { app: string; noRight: string }) {
  const { state, set } = useUrlState(defaults);
  const query = useQuery(secretEnvironmentCompare, { params: { app } });
  const isOnlyDifferent = state.differences !== '';
  if (isStatus(query.error, 403, 404)) return <SecretsNoRight noRight={noRight} />;
  return (
    <ListPanel
      label="Keys of development and production"
      plural="comparison"
      list={query}
      head={{
        title: 'Development vs production',
        note: 'Values stay hidden',
        children: (
          <Checkbox
            label="Only differences"
            checked={isOnlyDifferent}
            onChange={(event) => set({ differences: event.target.checked ? 'only' : '' }, { replace: true })}
          />
        ),
      }}
      phone="flow"
      columns={columns}
      groups={groupsOf(query.data?.groups ?? [], isOnlyDifferent)}
      rowKey={({ group, key }) => `${group}/${key}`}
      empty={
        query.data?.groups.length ? (
          <EmptyState level={2} kind="no-match" title="Nothing differs">
            Every key is in both environments, with the same value.
          </EmptyState>
        ) : (
          <EmptyState level={2} kind="first-use" title="There are no secret groups to compare">
            Groups of the same name are laid side by side here.
          </EmptyState>
        )
      }
    />
  );
}
