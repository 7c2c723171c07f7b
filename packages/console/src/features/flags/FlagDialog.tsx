/** Creates a flag. */
import { FlagCreate, flagCreate } from '@slipway/contract/flag/flag.ts';
import { flagTypes, type FlagType } from '@slipway/contract/flag/flag-rule.ts';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useNavigate } from 'react-router';
import * as z from 'zod/mini';
import { refresh } from '#entities/changes/refresh.ts';
import { paths } from '#entities/paths.ts';
import { useWrite } from '#kit/api/write.ts';
import { SelectField } from '#kit/form/ChoiceFields.tsx';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
import { typeLabels } from './flag-labels.ts';

const { shape } = FlagCreate;
const schema = z.object({
  name: shape.name,
  description: z.string().check(z.trim(), z.maxLength(300, { error: 'ExceedsMaximumLength' })),
  type: z.enum(flagTypes),
});

export function FlagDialog({ place, onClose }: { place: { app: string; env: Environment }; onClose: () => void }) {
  const create = useWrite(flagCreate);
  const navigate = useNavigate();
  const form = useApiForm({
    schema,
    defaultValues: { name: '', description: '', type: 'BOOLEAN' as FlagType },
    labels: { name: 'Name', description: 'Description', type: 'Kind of value' },
    onSubmit: async (body) => {
      const { name } = await create.send({ params: { app: place.app }, body });
      toast.success(`${name} is created`);
      onClose();
      await navigate(paths.flag({ ...place, flag: name }));
      await refresh({ kind: 'flag', app: place.app });
    },
  });
  return (
    <FormDialog form={form} onClose={onClose} title="New flag" submitLabel="Create flag" busyLabel="Creating">
      <TextField
        form={form}
        name="name"
        spellCheck={false}
        autoCapitalize="off"
        hint="The code asks for this name. You can't change it later."
      />
      <TextField form={form} name="description" labelNote="optional" />
      <SelectField form={form} name="type" options={flagTypes.map((value) => ({ value, label: typeLabels[value] }))} />
    </FormDialog>
  );
}
