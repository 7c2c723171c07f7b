/** Attaches a group to a service. The group page chooses a service; the service tab chooses a group. */
import { secretGroupList } from '@slipway/contract/secret/secret-group.ts';
import { serviceList } from '@slipway/contract/service/service.ts';
import { Checkbox } from '@slipway/ui/form/Checkbox.tsx';
import type { ComboboxOption } from '@slipway/ui/form/Combobox.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useController } from 'react-hook-form';
import * as z from 'zod/mini';
import { useQuery } from '#kit/api/query.ts';
import { ComboboxField } from '#kit/form/ChoiceFields.tsx';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { useApiForm, type ApiForm } from '#kit/form/use-api-form.ts';
import type { ServiceRef } from '#entities/paths.ts';
import { useAttachment } from './use-attachment.ts';
import type { GroupPlace } from '#features/secrets/use-group.ts';

const offered = 100;

interface AttachProps {
  title: string;
  /** Label of the choice: "Service". */
  label: string;
  options: ComboboxOption[] | undefined;
  onAttach: (chosen: string, exposeAsEnvironment: boolean) => Promise<void>;
  onClose: () => void;
}
interface Values {
  chosen: string;
  isExposed: boolean;
}
const schema = z.object({ chosen: z.string().check(z.minLength(1, { error: 'Required' })), isExposed: z.boolean() });

function AttachDialog({ title, label, options, onAttach, onClose }: AttachProps) {
  const form = useApiForm({
    schema,
    defaultValues: { chosen: '', isExposed: true },
    labels: { chosen: label, isExposed: 'Every key becomes an environment variable of its name' },
    onSubmit: async ({ chosen, isExposed }) => {
      await onAttach(chosen, isExposed);
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={title}
      description="Takes effect with the next revision of the service."
      submitLabel="Attach"
      busyLabel="Attaching"
    >
      <ComboboxField
        form={form}
        name="chosen"
        options={options ?? []}
        isLoading={!options}
        searchLabel={`Search ${label.toLowerCase()}s`}
        emptyText={`There is no ${label.toLowerCase()} to attach`}
      />
      <ExposedField form={form} />
    </FormDialog>
  );
}

function ExposedField({ form }: { form: ApiForm<Values> }) {
  const { value, ...field } = useController({ control: form.control, name: 'isExposed' }).field;
  return <Checkbox {...field} label={form.labels['isExposed']} checked={value} />;
}

export function AttachServiceDialog({ place, attached, onClose }: { place: GroupPlace; attached: readonly string[]; onClose: () => void }) {
  const services = useQuery(serviceList, { params: { app: place.app, env: place.env }, query: { size: offered } });
  const { attach } = useAttachment(place);
  return (
    <AttachDialog
      title={`Attach ${place.group}`}
      label="Service"
      options={services.data?.content.filter(({ name }) => !attached.includes(name)).map(({ name }) => ({ value: name, label: name }))}
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
  const { attach } = useAttachment(place);
  return (
    <AttachDialog
      title={`Attach a secret group to ${place.service}`}
      label="Secret group"
      options={groups.data?.content
        .filter(({ name }) => !attached.includes(name))
        .map(({ name, version }) => ({ value: name, label: name, note: `v${version}` }))}
      onClose={onClose}
      onAttach={async (group, isExposed) => {
        await attach(place.service, group, isExposed);
        toast.success(`${group} is attached to ${place.service}`);
      }}
    />
  );
}
