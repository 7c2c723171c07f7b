/** File volumes: keys of secret groups, mounted as files. */
import { settingsSections } from '@slipway/contract/pipeline/service-change.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Panel, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { Plus, Undo2 } from 'lucide-react';
import { paths } from '#entities/paths.ts';
import { mountRowsOf, mountsPath } from '#features/services/settings/draft.ts';
import css from '#features/services/settings/environment/EnvironmentSection.module.css';
import { focusField } from '#features/services/settings/focus-field.ts';
import { addVolumeId, emptyMount } from './mount-names.ts';
import { MountEditor } from './MountEditor.tsx';
import { NoRight } from './NoRight.tsx';
import { sectionId } from './Section.tsx';
import { useSettings, useSettingsState } from '#features/services/settings/settings-context.ts';

export function VolumesSection() {
  const { isMember } = useSettings();
  return (
    <section className={css.section} aria-labelledby={sectionId('volumes')}>
      <h2 id={sectionId('volumes')} className={css.title}>
        {settingsSections.volumes}
      </h2>
      <Panel>{isMember ? <Volumes /> : <NoRight what="File volumes" />}</Panel>
    </section>
  );
}

function Volumes() {
  const { place, view, store, isLocked } = useSettings();
  const rows = useSettingsState(({ draft }) => mountRowsOf(draft));
  const changes = useSettingsState((state) => state.changes);
  const removed = changes.filter(({ path, after }) => after === null && path.startsWith(`${mountsPath}.`));
  const add = (): void => {
    store.set(mountsPath, [...mountRowsOf(store.get().draft), emptyMount()]);
    // The row is rendered by then.
    requestAnimationFrame(() => focusField(`${mountsPath}.${rows.length}.mountPath`));
  };
  const hasGroups = view.secretGroups.length > 0;
  return (
    <>
      <PanelHead note={rows.length === 1 ? '1 volume' : `${rows.length} volumes`}>
        <Button
          id={addVolumeId}
          size="sm"
          icon={<Plus aria-hidden="true" />}
          onClick={add}
          disabledReason={
            !hasGroups ? 'No secret group is attached to this service' : isLocked ? 'The settings cannot be edited now' : undefined
          }
        >
          Add
        </Button>
      </PanelHead>
      {rows.length === 0 && removed.length === 0 && (
        <EmptyState
          kind="first-use"
          title="No volumes yet"
          isCompact
          actions={<LinkButton href={paths.serviceSecrets(place)}>Attach secret groups</LinkButton>}
        >
          A volume shows keys of a secret group as files: certificates, key files, whole configurations.
        </EmptyState>
      )}
      <ul className={css.rows} aria-label="File volumes">
        {rows.map((row, index) => (
          <li key={row.rowKey}>
            <MountEditor row={row} index={index} count={rows.length} />
          </li>
        ))}
        {removed.map(({ path, label }) => (
          <li key={path}>
            <div className={`${css.row} ${css.removed}`} data-changed>
              <span className={`mono ${css.name}`}>{label}</span>
              <span className={css.was}>removed</span>
              <span />
              <span className={css.actions}>
                <Button size="sm" variant="quiet" icon={<Undo2 aria-hidden="true" />} onClick={() => store.putBack(path)}>
                  Put back<span className="sr"> {label}</span>
                </Button>
              </span>
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}
