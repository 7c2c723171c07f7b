/** Creates a secret group: name, keys, and whether all services read it. */
import { secretGroupCreate } from '@slipway/contract/secret/secret-group.ts';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { Switch } from '@slipway/ui/form/Switch.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useController } from 'react-hook-form';
import { useNavigate } from 'react-router';
import { refresh } from '#entities/changes/refresh.ts';
import { useWrite } from '#kit/api/write.ts';
import { PageForm } from '#kit/form/PageForm.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
import { paths, type AppRef } from '#entities/paths.ts';
import { EntriesEditor } from './EntriesEditor.tsx';
import { emptyRow, entriesOf } from './entry-rows.ts';
import { atItsRow, groupLabels, newGroupSchema, saveExpiries, type GroupForm } from './group-form.ts';
import { SecretFormPage } from './SecretFormPage.tsx';

export function Component() {
  return (
    <SecretFormPage name="New secret group" lede="A named set of keys. Its values are sealed before they are stored.">
      {(place) => <NewGroupForm place={place} />}
    </SecretFormPage>
  );
}

function AutoAttachField({ control }: { control: GroupForm['control'] }) {
  const { field } = useController({ control, name: 'autoAttach' });
  const { value, onChange, ...rest } = field;
  return <Switch {...rest} label="Attach to all current and future services in this environment" checked={value} onChange={onChange} />;
}

function NewGroupForm({ place }: { place: AppRef }) {
  const create = useWrite(secretGroupCreate);
  const navigate = useNavigate();
  const form = useApiForm({
    schema: newGroupSchema,
    defaultValues: { name: '', autoAttach: false, entries: [emptyRow] },
    labels: groupLabels,
    onSubmit: async ({ name, autoAttach, entries: rows }) => {
      const { entries, rowOf } = entriesOf(rows);
      const group = await create.send({ params: { ...place }, body: { name, autoAttach, entries } }).catch((error: unknown) => {
        throw atItsRow(error, rowOf);
      });
      const failed = await saveExpiries(group, rows);
      if (failed.length > 0) toast.failure(`The last day of ${failed.join(', ')} was not saved`, { detail: 'Set it at the key.' });
      toast.success(`${name} created`, { detail: `Version ${group.version}` });
      await navigate(paths.secretGroup({ ...place, group: name }));
      await refresh({ kind: 'secretGroup', app: place.app });
    },
  });
  return (
    <PageForm
      form={form}
      label="New secret group"
      startsFocused
      submitLabel="Create secret group"
      busyLabel="Creating"
      cancelHref={paths.secretGroups(place)}
    >
      <Panel aria-labelledby="group">
        <PanelHead title="Group" titleId="group" />
        <PanelBody className="stack">
          <TextField
            form={form}
            name="name"
            spellCheck={false}
            autoCapitalize="off"
            hint="Lowercase letters, numbers and dashes, 3 to 63 characters. It cannot be changed."
          />
          <AutoAttachField control={form.control} />
        </PanelBody>
      </Panel>
      <Panel aria-labelledby="keys">
        <PanelHead title="Keys" titleId="keys" />
        <PanelBody>
          <EntriesEditor form={form} />
        </PanelBody>
      </Panel>
    </PageForm>
  );
}
