/** Changes the description of an account. */
import { AccountUpdate, accountLabels, type Account } from '@slipway/contract/streaming/account.ts';
import * as z from 'zod/mini';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
import type { AccountPlace } from '#features/streaming/use-place.ts';
import { useAccountChange } from './account-change.ts';

const schema = z.pick(AccountUpdate, { description: true });

export default function DescriptionDialog({ place, account, onClose }: { place: AccountPlace; account: Account; onClose: () => void }) {
  const { change } = useAccountChange(place, account);
  const form = useApiForm({
    schema,
    defaultValues: { description: account.description },
    labels: accountLabels,
    onSubmit: async ({ description }) => {
      if (description !== account.description) await change({ description });
      onClose();
    },
  });
  return (
    <FormDialog form={form} onClose={onClose} title={`Describe ${account.name}`} submitLabel="Save description" busyLabel="Saving">
      <TextField form={form} name="description" labelNote="optional" placeholder="Which program uses it" />
    </FormDialog>
  );
}
