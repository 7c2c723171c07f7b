/** Rotates the password: with overlap, so that nothing stops, or immediately if the password leaked. */
import { accountGroupName, type Account } from '@slipway/contract/streaming/account.ts';
import { overlapHours } from '@slipway/contract/kernel/fields.ts';
import { accountRotate } from '@slipway/contract/streaming/account-password.ts';
import * as z from 'zod/mini';
import { useRunForm } from '#entities/resource/use-run-form.ts';
import { RadioCardsField, SwitchField } from '#kit/form/ChoiceFields.tsx';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import type { AccountPlace } from '#features/streaming/use-place.ts';

type Hours = (typeof overlapHours)[number];
const cards: Readonly<Record<Hours, { label: string; note: string; tag?: string }>> = {
  1: {
    label: 'With overlap of 1 hour',
    note: 'A second user with the same rules. Both passwords work until the old one ends.',
    tag: 'no downtime',
  },
  24: { label: 'With overlap of 24 hours', note: 'For programs that somebody else restarts.', tag: 'no downtime' },
  0: { label: 'At once', note: 'The old password ends now. Clients stop at their next sign-in until they have the new one.' },
};
const order: readonly Hours[] = [1, 24, 0];
const schema = z.object({ overlap: z.enum(['0', '1', '24']), isKept: z.boolean() });
const hoursOf = (text: string): Hours => overlapHours.find((hours) => String(hours) === text) ?? 1;

export interface RotateDialogProps {
  place: AccountPlace;
  account: Account;
  onClose: () => void;
}

export default function RotateDialog({ place, account, onClose }: RotateDialogProps) {
  const { app, env } = place;
  const group = account.credentials?.secretGroup?.name;
  const form = useRunForm({
    route: accountRotate,
    schema,
    defaultValues: { overlap: '1', isKept: true },
    labels: { overlap: 'How', isKept: 'Where the new one goes' },
    serverFields: { secretGroup: 'isKept', overlapHours: 'overlap' },
    inputOf: ({ overlap, isKept }) => {
      const made = group === undefined && isKept ? { secretGroup: accountGroupName(app, account.name) } : {};
      return { params: { ...place }, body: { overlapHours: hoursOf(overlap), ...made } };
    },
    doneOf: () => `${account.name} gets a new password`,
    onDone: onClose,
    hints: [{ kind: 'account', app, env }],
  });
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={`Rotate the password of ${account.name}`}
      description={
        <>
          {app} in <strong>{env}</strong>
        </>
      }
      submitLabel="Rotate password"
      busyLabel="Starting"
      footNote="The password is not shown when it goes to a secret group."
    >
      <RadioCardsField form={form} name="overlap" options={order.map((hours) => ({ value: String(hours), ...cards[hours] }))} />
      {group === undefined ? (
        <SwitchField
          form={form}
          name="isKept"
          onLabel={`Into the secret group ${accountGroupName(app, account.name)}`}
          hint="Off: it is shown once, to you. Services read a secret group without anybody seeing the password."
        />
      ) : (
        <p className="dense quiet">It becomes the newest version of {group}. Services use it once they are restarted.</p>
      )}
    </FormDialog>
  );
}
