/** Compares two versions of a group by key: added, removed, changed. The URL holds the two versions; values stay hidden. */
import { secretVersionCompare, secretVersionList, type SecretGroup } from '@slipway/contract/secret/secret-group.ts';
import { Checkbox } from '@slipway/ui/form/Checkbox.tsx';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { Select } from '@slipway/ui/form/Select.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Table, type Column } from '@slipway/ui/list/Table.tsx';
import { X } from 'lucide-react';
import type * as z from 'zod/mini';
import { useQuery } from '#kit/api/query.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { useUrlState } from '#kit/state/url-state.ts';
import { Masked } from '#features/secrets/EnvironmentCells.tsx';
import { changeLabels } from '#features/secrets/secret-labels.ts';
import type { GroupPlace } from '#features/secrets/use-group.ts';
import css from './VersionComparePanel.module.css';

const defaults = { with: 0, version: 0, same: '' };
const versionsOffered = 100;
type Row = z.infer<(typeof secretVersionCompare)['response']>['keys'][number];

const changeTones = { ADDED: 'ok', REMOVED: 'warn', CHANGED: 'idle' } as const;

const columnsFor = (from: number, to: number): Column<Row>[] => [
  { key: 'key', header: 'Key', cell: ({ key }) => <span className="mono strong">{key}</span> },
  {
    key: 'from',
    header: `Version ${from}`,
    cell: ({ change }) => (change === 'ADDED' ? <span className="meta">Not there</span> : <Masked />),
  },
  {
    key: 'to',
    header: `Version ${to}`,
    cell: ({ change }) => (change === 'REMOVED' ? <span className="meta">Not there</span> : <Masked />),
  },
  {
    key: 'change',
    header: 'Change',
    cell: ({ change }) => {
      if (change === 'SAME') return <span className="quiet">{changeLabels.SAME}</span>;
      return <Status tone={changeTones[change]}>{changeLabels[change]}</Status>;
    },
  },
];

export function VersionComparePanel({ place, group }: { place: GroupPlace; group: SecretGroup | undefined }) {
  const { state } = useUrlState(defaults);
  if (!group || state.with === 0) return null;
  return <Comparison place={place} from={state.with} to={state.version || group.version} />;
}

function Comparison({ place, from, to }: { place: GroupPlace; from: number; to: number }) {
  const { state, set } = useUrlState(defaults);
  const query = useQuery(secretVersionCompare, { params: { ...place }, query: { with: from, version: to } }, { keepPreviousData: true });
  const versions = useQuery(secretVersionList, { params: { ...place }, query: { size: versionsOffered } });
  const options = (versions.data?.content ?? []).map(({ version }) => ({ value: String(version), label: `Version ${version}` }));
  const rows = (query.data?.keys ?? []).filter(({ change }) => state.same !== '' || change !== 'SAME');
  return (
    <Panel aria-labelledby="version-comparison">
      <PanelHead title="Compare versions" titleId="version-comparison">
        <IconButton
          size="sm"
          variant="quiet"
          label="Close the comparison"
          icon={<X aria-hidden="true" />}
          onClick={() => set({ with: 0, version: 0, same: '' })}
        />
      </PanelHead>
      <PanelBody className="row row-wrap">
        <Select
          className={css.version}
          aria-label="From version"
          options={options}
          value={String(from)}
          onChange={(value) => set({ with: Number(value) }, { replace: true })}
        />
        <span className="quiet">to</span>
        <Select
          className={css.version}
          aria-label="To version"
          options={options}
          value={String(to)}
          onChange={(value) => set({ version: Number(value) }, { replace: true })}
        />
        <Checkbox
          className="push"
          label="Show the same"
          checked={state.same !== ''}
          onChange={(event) => set({ same: event.target.checked ? 'yes' : '' }, { replace: true })}
        />
      </PanelBody>
      {query.error && !query.data ? (
        <ListError what="comparison" query={query} />
      ) : (
        <Table
          label={`Version ${from} and version ${to}`}
          phone="flow"
          columns={columnsFor(from, to)}
          rows={rows}
          rowKey={({ key }) => key}
          isLoading={!query.data}
          empty={
            <EmptyState kind="no-match" title="These versions hold the same" isCompact>
              Every key is in both, with the same value.
            </EmptyState>
          }
        />
      )}
    </Panel>
  );
}
