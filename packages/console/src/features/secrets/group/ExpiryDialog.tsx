/** Sets the last day of a key. Two weeks before that day, a reminder appears. Creates no version. */
import { ExpiryDate, expirySoonDays, secretKeyExpiry } from '@slipway/contract/secret/secret-group.ts';
import { toast } from '@slipway/ui/overlay/toast.ts';
import * as z from 'zod/mini';
import { refresh } from '#entities/changes/refresh.ts';
import { useWrite } from '#kit/api/write.ts';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
import type { GroupPlace } from '#features/secrets/use-group.ts';

const schema = z.object({ expiresAt: z.union([z.literal(''), ExpiryDate]) });

export interface ExpiryDialogProps {
  place: GroupPlace;
  secretKey: string;
  was: string | null;
  onClose: () => void;
}

export function ExpiryDialog({ place, secretKey, was, onClose }: ExpiryDialogProps) {
  const write = useWrite(secretKeyExpiry);
  const form = useApiForm({
    schema,
    defaultValues: { expiresAt: was ?? '' },
    labels: { expiresAt: 'Last day' },
    onSubmit: async ({ expiresAt }) => {
      await write.send({ params: { ...place, key: secretKey }, body: { expiresAt: expiresAt || null } });
      toast.success(expiresAt === '' ? `${secretKey} has no last day any more` : `The last day of ${secretKey} is saved`);
      onClose();
      await refresh({ kind: 'secretGroup', app: place.app });
    },
  });
  return (
    <FormDialog form={form} onClose={onClose} title={`Last day of ${secretKey}`} submitLabel="Save" busyLabel="Saving">
      <TextField
        form={form}
        name="expiresAt"
        type="date"
        hint={`From ${expirySoonDays} days before, the key asks to be renewed. Empty: no reminder.`}
      />
    </FormDialog>
  );
}
