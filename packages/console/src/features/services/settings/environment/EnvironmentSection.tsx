/** Environment variables: editable rows, pasting a whole file, and a preview of all in five formats. */
import { settingsSections } from '@slipway/contract/pipeline/service-change.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Panel, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { SearchInput } from '@slipway/ui/form/SearchInput.tsx';
import { Eye, Plus } from 'lucide-react';
import { lazy, Suspense, useCallback, useDeferredValue, useState } from 'react';
import { envPath, envRowsOf, type EnvRow } from '#features/services/settings/draft.ts';
import { addButtonId, countLabel, emptyEnvRow } from './env-rows.ts';
import { EnvTable } from './EnvTable.tsx';
import css from './EnvironmentSection.module.css';
import { NoRight } from '#features/services/settings/sections/NoRight.tsx';
import { sectionId } from '#features/services/settings/sections/Section.tsx';
import { useSettings, useSettingsState } from '#features/services/settings/settings-context.ts';

const EnvPasteDialog = lazy(() => import('./EnvPasteDialog.tsx'));
const EnvPreviewDialog = lazy(() => import('./EnvPreviewDialog.tsx'));

const searchFrom = 12;

export function EnvironmentSection() {
  const { isMember } = useSettings();
  return (
    <section className={css.section} aria-labelledby={sectionId('environment')}>
      <h2 id={sectionId('environment')} className={css.title}>
        {settingsSections.environment}
      </h2>
      <Panel>{isMember ? <Variables /> : <NoRight what="Environment variables" />}</Panel>
    </section>
  );
}

function Variables() {
  const { store, isLocked } = useSettings();
  const rows = useSettingsState(({ draft }) => envRowsOf(draft));
  const error = useSettingsState(({ errors }) => errors.find(({ field }) => field === envPath)?.message);
  const [query, setQuery] = useState('');
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [pasted, setPasted] = useState<string>();
  const [isPreviewed, setPreviewed] = useState(false);
  const found = useDeferredValue(query);
  const lock = isLocked ? { disabledReason: 'The settings cannot be edited now' } : {};
  // A stable callback, otherwise every row would rerender.
  const open = useCallback((key: string, isOpen: boolean): void => {
    setOpened((before) => new Set(isOpen ? [...before, key] : [...before].filter((item) => item !== key)));
  }, []);
  const add = (row: EnvRow = emptyEnvRow()): void => {
    store.set(envPath, [...envRowsOf(store.get().draft), row]);
    open(row.rowKey ?? '', true);
  };
  return (
    <>
      <PanelHead note={countLabel(rows)}>
        <Button size="sm" icon={<Eye aria-hidden="true" />} onClick={() => setPreviewed(true)}>
          Preview
        </Button>
        <Button size="sm" onClick={() => setPasted('')} {...lock}>
          Paste many
        </Button>
        <Button id={addButtonId} size="sm" icon={<Plus aria-hidden="true" />} onClick={() => add()} {...lock}>
          Add
        </Button>
      </PanelHead>
      {error !== undefined && <Notice tone="bad">{error}</Notice>}
      {rows.length > searchFrom && (
        <div className={css.search}>
          <SearchInput label="Search variables" value={query} onChange={setQuery} />
        </div>
      )}
      {rows.length === 0 && (
        <EmptyState kind="first-use" title="No variables yet" isCompact>
          Add one, or paste a whole .env file. Secrets belong in a secret group; a variable can refer to its keys.
        </EmptyState>
      )}
      <EnvTable query={found} opened={opened} onOpen={open} onPasteFile={setPasted} />
      <Suspense fallback={null}>
        {pasted !== undefined && <EnvPasteDialog text={pasted} onClose={() => setPasted(undefined)} />}
        {isPreviewed && <EnvPreviewDialog onClose={() => setPreviewed(false)} />}
      </Suspense>
    </>
  );
}
