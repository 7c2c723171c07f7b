/** Brings a group and a service together: from the group's page one chooses a service, from the service's tab a group. */
import { secretGroupList } from '@slipway/contract/secret/secret-group.ts';
import { serviceList } from '@slipway/contract/service/service.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Checkbox } from '@slipway/ui/form/Checkbox.tsx';
import { Combobox, type ComboboxOption } from '@slipway/ui/form/Combobox.tsx';
import { Dialog } from '@slipway/ui/overlay/Dialog.tsx';
import { Field } from '@slipway/ui/form/Field.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useState, type FormEvent } from 'react';
import { useQuery } from '#kit/api/query.ts';
import { reportError } from '#kit/error/global-error.ts';
import type { ServiceRef } from '#entities/paths.ts';
import { useAttachment } from './use-attachment.ts';
import type { GroupPlace } from '#features/secrets/use-group.ts';

const offered = 100;

interface AttachProps {
  title: string;
  /** What is chosen: "Service". */
  label: string;
  options: ComboboxOption[] | undefined;
  isBusy: boolean;
  onAttach: (chosen: string, exposeAsEnvironment: boolean) => Promise<void>;
  onClose: () => void;
}

function AttachDialog({ title, label, options, isBusy, onAttach, onClose }: AttachProps) {
  const [chosen, setChosen] = useState<string | null>(null);
  const [isExposed, setExposed] = useState(true);
  const [error, setError] = useState<string>();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (chosen === null) return setError(`${label} is required`);
    try {
      await onAttach(chosen, isExposed);
    } catch (cause) {
      reportError(cause);
    }
    onClose();
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      isBusy={isBusy}
      title={title}
      description="Takes effect with the next revision of the service."
      onSubmit={(event) => void submit(event)}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" isBusy={isBusy} busyLabel="Attaching">
            Attach
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label={label} error={error}>
          <Combobox
            options={options ?? []}
            isLoading={!options}
            value={chosen}
            searchLabel={`Search ${label.toLowerCase()}s`}
            emptyText={`There is no ${label.toLowerCase()} to attach`}
            onChange={(value) => {
              setChosen(value);
              setError(undefined);
            }}
          />
        </Field>
        <Checkbox
          label="Every key becomes an environment variable of its name"
          checked={isExposed}
          onChange={(event) => setExposed(event.target.checked)}
        />
      </div>
    </Dialog>
  );
}

export function AttachServiceDialog({ place, attached, onClose }: { place: GroupPlace; attached: readonly string[]; onClose: () => void }) {
  const services = useQuery(serviceList, { params: { app: place.app, env: place.env }, query: { size: offered } });
  const { attach, isBusy } = useAttachment(place);
  return (
    <AttachDialog
      title={`Attach ${place.group}`}
      label="Service"
      options={services.data?.content.filter(({ name }) => !attached.includes(name)).map(({ name }) => ({ value: name, label: name }))}
      isBusy={isBusy}
      onClose={onClose}
      onAttach={async (service, isExposed) => {
        await attach(service, place.group, isExposed);
        toast.success(`${place.group} is attached to ${service}`);
      }}
    />
  );
}

export function AttachGroupDialog({ place, attached, onClose }: { place: ServiceRef; attached: readonly string[]; onClose: () => void }) {
  const groups = useQuery(secretGroupList, { params: { app: place.app, env: place.env }, query: { size: offered } });
  const { attach, isBusy } = useAttachment(place);
  return (
    <AttachDialog
      title={`Attach a secret group to ${place.service}`}
      label="Secret group"
      options={groups.data?.content
        .filter(({ name }) => !attached.includes(name))
        .map(({ name, version }) => ({ value: name, label: name, note: `v${version}` }))}
      isBusy={isBusy}
      onClose={onClose}
      onAttach={async (group, isExposed) => {
        await attach(place.service, group, isExposed);
        toast.success(`${group} is attached to ${place.service}`);
      }}
    />
  );
}
