/** Rotates a password as a new version of a secret group. The former password keeps working for the chosen time. */
import type { ChangeHint } from '@slipway/contract/hint.ts';
import type { Call, RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import type { ReactNode } from 'react';
import * as z from 'zod/mini';
import { paths, type AppRef } from '#entities/paths.ts';
import { RadioCardsField } from '#kit/form/ChoiceFields.tsx';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { useRunForm } from './use-run-form.ts';

const options = [
  { value: '0', label: 'At once', note: 'Every connection that uses it ends now. For a password that others know.' },
  { value: '1', label: 'After 1 hour', note: 'Time to restart the services, one after the other, without a pause.' },
  { value: '24', label: 'After 24 hours', note: 'For programs that somebody else restarts.' },
] as const;
const schema = z.object({ overlap: z.enum(['0', '1', '24']) });

export interface RotatePasswordDialogProps {
  /** The name that people read. */
  title: string;
  /** The action that rotates, with a body of `overlapHours`. */
  route: RouteShape;
  place: AppRef & Readonly<Record<string, string>>;
  group: string;
  hint: ChangeHint;
  onClose: () => void;
  /** Follows the sentence about services. */
  children?: ReactNode;
}

export function RotatePasswordDialog({ title, route, place, group, hint, onClose, children }: RotatePasswordDialogProps) {
  const form = useRunForm({
    route,
    schema,
    defaultValues: { overlap: '1' },
    labels: { overlap: 'The former password ends' },
    inputOf: ({ overlap }) => ({ params: { ...place }, body: { overlapHours: Number(overlap) } }) as unknown as Call<RouteShape>,
    doneOf: () => `${title} gets a new password`,
    onDone: onClose,
    hints: [hint, { kind: 'secretGroup', app: place.app }],
  });
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={`Rotate the credentials of ${title}`}
      description="A new login and password become the newest version of the secret group. Nobody sees them here."
      submitLabel="Rotate credentials"
      busyLabel="Starting"
    >
      <RadioCardsField form={form} name="overlap" options={[...options]} />
      <p className="dense quiet">
        Services go on with what they have until they are restarted:{' '}
        <Link className="in" href={paths.secretGroup({ app: place.app, env: place.env, group })}>
          {group}
        </Link>{' '}
        lists those that wait.{children}
      </p>
    </FormDialog>
  );
}
