/** The last day of a key: from two weeks before it, the key asks to be renewed. Makes no version. */
import { ExpiryDate, expirySoonDays, secretKeyExpiry } from '@slipway/contract/secret/secret-group.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Dialog } from '@slipway/ui/overlay/Dialog.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import * as z from 'zod/mini';
import { refresh } from '#entities/changes/refresh.ts';
import { useWrite } from '#kit/api/write.ts';
import { Form } from '#kit/form/Form.tsx';
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
    <Dialog
      isOpen
      onClose={onClose}
      isBusy={form.isBusy}
      title={<>Last day of {secretKey}</>}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form.id} variant="primary" isBusy={form.isBusy} busyLabel="Saving">
            Save
          </Button>
        </>
      }
    >
      <Form form={form} isInDialog label="Last day of the key">
        <TextField
          form={form}
          name="expiresAt"
          type="date"
          hint={`From ${expirySoonDays} days before, the key asks to be renewed. Empty: no reminder.`}
        />
      </Form>
    </Dialog>
  );
}
