/** Moves a value from the settings into a secret group and references the key instead. The value is never saved in the settings. */
import { SecretKey } from '@slipway/contract/secret/secret-entry.ts';
import {
  SecretGroupName,
  secretGroupCreate,
  secretGroupList,
  secretVersionCreate,
  serviceSecretGroupAttach,
} from '@slipway/contract/secret/secret-group.ts';
import { serviceSettingsView } from '@slipway/contract/service/service-operations.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Dialog } from '@slipway/ui/overlay/Dialog.tsx';
import { Field } from '@slipway/ui/form/Field.tsx';
import { Input } from '@slipway/ui/form/Input.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Select } from '@slipway/ui/form/Select.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useState, type FormEvent } from 'react';
import { call } from '#kit/api/call.ts';
import { useQuery } from '#kit/api/query.ts';
import { DialogError } from '#kit/error/DialogError.tsx';
import { messageFor } from '#kit/error/messages.ts';
import { envPath, envRowsOf, type EnvRow } from '#features/services/settings/draft.ts';
import { factsOf } from '#features/services/settings/check.ts';
import { useSettings, type SettingsPlace } from '#features/services/settings/settings-context.ts';

/** No group can have this name. */
const NEW = '*';
const groupsOffered = 100;

interface Target {
  /** `NEW`, or the name of an existing group. */
  group: string;
  newName: string;
  key: string;
}
type Wrong = Partial<Record<'newName' | 'key', string>>;

const wrongOf = ({ group, newName, key }: Target): Wrong => ({
  ...(group === NEW && !SecretGroupName.safeParse(newName).success
    ? { newName: messageFor(newName === '' ? 'Required' : 'KebabCase', { label: 'Name' }) }
    : {}),
  ...(SecretKey.safeParse(key).success ? {} : { key: messageFor(key === '' ? 'Required' : 'InvalidSecretKey', { label: 'Key', key }) }),
});

/** Creates the key and attaches the group to the service. Returns the group's name. */
const move = async (place: SettingsPlace, target: Target, value: string, version: number | undefined): Promise<string> => {
  const app = { app: place.app, env: place.env };
  const entries = [{ key: target.key, value }];
  const group = target.group === NEW ? target.newName : target.group;
  if (version === undefined)
    await call(secretGroupCreate, { params: app, body: { name: group, entries, autoAttach: false, kind: 'USER' } });
  else
    await call(secretVersionCreate, { params: { ...app, group }, body: { basedOn: version, entries, remove: [], isReplacement: false } });
  return group;
};

export default function MoveSecretDialog({ row, onClose }: { row: EnvRow; onClose: () => void }) {
  const { place, view, store } = useSettings();
  const params = { ...place };
  const { data } = useQuery(secretGroupList, { params: { app: place.app, env: place.env }, query: { size: groupsOffered } }, { pollMs: 0 });
  const { mutate } = useQuery(serviceSettingsView, { params });
  const [target, setTarget] = useState<Target>({ group: NEW, newName: `${place.service}-secrets`, key: row.name });
  const [wrong, setWrong] = useState<Wrong>({});
  const [failure, setFailure] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const groups = (data?.content ?? []).filter(({ kind }) => kind === 'USER');
  const chosen = groups.find(({ name }) => name === target.group);
  const change = (patch: Partial<Target>): void => {
    setTarget({ ...target, ...patch });
    setWrong({});
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const found = wrongOf(target);
    setWrong(found);
    if (Object.keys(found).length > 0) return;
    setBusy(true);
    setFailure(undefined);
    try {
      const group = await move(place, target, row.value ?? '', chosen?.version);
      const isRead = view.secretGroups.some(({ name }) => name === group);
      if (!isRead) await call(serviceSecretGroupAttach, { params: { ...params, group }, body: { exposeAsEnvironment: false } });
      const fresh = await mutate();
      // The next review may start before the next render.
      if (fresh) store.setFacts(factsOf(fresh));
      // Rows may have moved during the request.
      const at = envRowsOf(store.get().draft).findIndex(({ rowKey }) => rowKey === row.rowKey);
      store.set(`${envPath}.${at}`, {
        name: row.name,
        source: 'SECRET_KEY',
        secretGroup: group,
        secretKey: target.key,
        rowKey: row.rowKey,
      });
      toast.success(`${row.name} is now the key ${target.key} of ${group}`, {
        detail: 'Review and apply, and the service reads it from there.',
      });
      onClose();
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      isBusy={isBusy}
      title={`Move ${row.name} to a secret group`}
      description="The value is stored encrypted; the variable refers to it, and so does every revision."
      onSubmit={(event) => void submit(event)}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" isBusy={isBusy} busyLabel="Moving">
            Move
          </Button>
        </>
      }
    >
      {failure !== undefined && <DialogError error={failure} />}
      <Field label="Secret group" {...(chosen ? { hint: `Version ${chosen.version + 1} will hold the key` } : {})}>
        <Select
          options={[{ value: NEW, label: 'A new group' }, ...groups.map(({ name }) => ({ value: name, label: name }))]}
          value={target.group}
          onChange={(group) => change({ group })}
        />
      </Field>
      {target.group === NEW && (
        <Field label="Name of the new group" {...(wrong.newName === undefined ? {} : { error: wrong.newName })}>
          <Input value={target.newName} spellCheck={false} onChange={({ target: { value } }) => change({ newName: value.trim() })} />
        </Field>
      )}
      <Field label="Key" {...(wrong.key === undefined ? {} : { error: wrong.key })}>
        <Input isMono value={target.key} spellCheck={false} onChange={({ target: { value } }) => change({ key: value.trim() })} />
      </Field>
      {chosen?.keys.some(({ key }) => key === target.key) && (
        <Notice tone="warn">
          {target.group} holds {target.key} already: its value becomes this one.
        </Notice>
      )}
    </Dialog>
  );
}
