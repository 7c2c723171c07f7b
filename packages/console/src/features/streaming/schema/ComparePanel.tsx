/** Compares two versions of a schema, line by line. The URL holds the two versions. */
import { schemaVersionList, schemaVersionView, type Schema } from '@slipway/contract/streaming/schema.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Select } from '@slipway/ui/form/Select.tsx';
import { Panel, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { useMemo } from 'react';
import { useQuery } from '#kit/api/query.ts';
import { DiffLines, DiffSection, DiffTable } from '#kit/diff/DiffTable.tsx';
import { textLines } from '#kit/diff/text-lines.ts';
import { useUrlState } from '#kit/state/url-state.ts';
import type { SchemaPlace } from '#features/streaming/use-place.ts';
import css from './ComparePanel.module.css';

/** 0 means the two newest. */
const defaults = { from: 0, to: 0 };
export const versionsRead = 50;

const useContent = ({ app, env, schema }: SchemaPlace, version: number): string | undefined =>
  useQuery(schemaVersionView, version > 0 && { params: { app, env, schema, version: String(version) } }, { pollMs: 0 }).data?.content;

export function ComparePanel({ place, schema }: { place: SchemaPlace; schema: Schema }) {
  const { app, env, schema: name } = place;
  const { state, set } = useUrlState(defaults);
  const list = useQuery(schemaVersionList, { params: { app, env, schema: name }, query: { size: versionsRead } });
  const versions = (list.data?.content ?? []).map(({ revisionId }) => revisionId);
  const to = state.to || (versions[0] ?? schema.revisionId ?? 0);
  const from = state.from || (versions[1] ?? 0);
  const [before, after] = [useContent(place, from), useContent(place, to)];
  const lines = useMemo(
    () => (before === undefined || after === undefined ? [] : textLines(before.trimEnd(), after.trimEnd())),
    [before, after],
  );
  const options = versions.map((version) => ({ value: String(version), label: `Version ${version}` }));
  if (versions.length < 2) {
    return (
      <Panel aria-label="Compare">
        <EmptyState kind="first-use" level={2} title="Nothing to compare yet" isCompact>
          There is one version. The next one is shown here beside it.
        </EmptyState>
      </Panel>
    );
  }
  return (
    <Panel aria-labelledby="compare">
      <PanelHead title="Compare" titleId="compare">
        <Select
          className={css.version}
          aria-label="From version"
          options={options}
          value={String(from)}
          onChange={(value) => set({ from: Number(value) })}
        />
        <span className="meta">to</span>
        <Select
          className={css.version}
          aria-label="To version"
          options={options}
          value={String(to)}
          onChange={(value) => set({ to: Number(value) })}
        />
      </PanelHead>
      <DiffTable label={`Version ${from} against version ${to}`} isFlush>
        <DiffSection>
          <DiffLines lines={lines} />
        </DiffSection>
      </DiffTable>
    </Panel>
  );
}
