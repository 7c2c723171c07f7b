/** Creates a version of a secret group. Values that the user does not edit stay on the server and never reach the browser. */
import { secretVersionCreate, type SecretGroup } from '@slipway/contract/secret/secret-group.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { refresh } from '#entities/changes/refresh.ts';
import { useWrite } from '#kit/api/write.ts';
import { PageForm } from '#kit/form/PageForm.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
import { reasonOf } from '#kit/error/messages.ts';
import { PlainPage } from '#kit/page/PlainPage.tsx';
import { paths } from '#entities/paths.ts';
import { EntriesEditor } from './EntriesEditor.tsx';
import { entriesOf, removedKeys, type EntryRow } from './entry-rows.ts';
import { atItsRow, groupLabels, newVersionSchema, saveExpiries } from './group-form.ts';
import { GroupScreen } from '#features/secrets/GroupScreen.tsx';
import type { GroupPlace } from '#features/secrets/use-group.ts';

export function Component() {
  return <GroupScreen>{({ place, group }) => <NewVersion place={place} group={group} />}</GroupScreen>;
}

function NewVersion({ place, group }: { place: GroupPlace; group: SecretGroup | undefined }) {
  const reason = reasonOf(group?.can, 'versionCreate');
  return (
    <PlainPage
      typeLabel={`Secret group ${place.group}`}
      name="New version"
      title={[`New version of ${place.group}`, place.app, place.env]}
      lede="Values that you leave alone stay as they are. Services read the new version with their next revision."
    >
      {reason !== undefined && <Notice tone="warn">{reason}</Notice>}
      {group && reason === undefined && <NewVersionForm place={place} current={group} />}
    </PlainPage>
  );
}

const rowsOf = (group: SecretGroup): EntryRow[] =>
  group.keys.map(({ key, expiresAt }) => ({ key, value: '', expiresAt: expiresAt ?? '', isKept: true }));

function NewVersionForm({ place, current }: { place: GroupPlace; current: SecretGroup }) {
  // The version on which the form was opened. A newer version by someone else must not be overwritten unnoticed.
  const [base] = useState(current);
  const create = useWrite(secretVersionCreate);
  const navigate = useNavigate();
  const known = base.keys.map(({ key }) => key);
  const form = useApiForm({
    schema: newVersionSchema,
    defaultValues: { name: base.name, autoAttach: base.autoAttach, entries: rowsOf(base) },
    labels: groupLabels,
    onSubmit: async ({ entries: rows }) => {
      const { entries, rowOf } = entriesOf(rows);
      const remove = removedKeys(known, rows);
      const isChanged = entries.length > 0 || remove.length > 0;
      const send = () => create.send({ params: { ...place }, body: { basedOn: base.version, entries, remove } });
      const group = isChanged
        ? await send().catch((error: unknown) => {
            throw atItsRow(error, rowOf);
          })
        : base;
      const failed = await saveExpiries(group, rows);
      if (failed.length > 0) toast.failure(`The last day of ${failed.join(', ')} was not saved`, { detail: 'Set it at the key.' });
      else toast.success(isChanged ? `Version ${group.version} of ${base.name} created` : `Expiry dates of ${base.name} saved`);
      await navigate(paths.secretGroup(place));
      await refresh({ kind: 'secretGroup', app: place.app });
    },
  });
  return (
    <PageForm
      form={form}
      label="New version"
      submitLabel={`Save as version ${base.version + 1}`}
      busyLabel="Saving"
      disabledReason={form.isDirty ? undefined : 'Nothing is changed yet'}
      cancelHref={paths.secretGroup(place)}
    >
      {current.version !== base.version && (
        <Notice tone="warn" isLive>
          Somebody made version {current.version} meanwhile. Look at it before you save: this form began with version {base.version}.
        </Notice>
      )}
      <Panel aria-labelledby="keys">
        <PanelHead title="Keys" titleId="keys" note={`Begins with version ${base.version}`} />
        <PanelBody>
          <EntriesEditor form={form} known={known} />
        </PanelBody>
      </Panel>
    </PageForm>
  );
}
