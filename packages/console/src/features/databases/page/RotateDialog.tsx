/** Rotates the password as a new version of the secret group. The former password keeps working while services restart. */
import { databaseRotate, overlapHours, type Database } from '@slipway/contract/database/database.ts';
import * as z from 'zod/mini';
import { paths } from '#entities/paths.ts';
import { useRunForm } from '#entities/resource/use-run-form.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { RadioCardsField } from '#kit/form/ChoiceFields.tsx';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import type { DatabasePlace } from '#features/databases/database-place.ts';

type Hours = (typeof overlapHours)[number];
const cards: Readonly<Record<Hours, { label: string; note: string }>> = {
  0: { label: 'At once', note: 'Every connection that uses it ends now. For a password that others know.' },
  1: { label: 'After 1 hour', note: 'Time to restart the services, one after the other, without a pause.' },
  24: { label: 'After 24 hours', note: 'For programs that somebody else restarts.' },
};
const schema = z.object({ overlap: z.enum(['0', '1', '24']) });
const hoursOf = (text: string): Hours => overlapHours.find((hours) => String(hours) === text) ?? 1;

export interface RotateDialogProps {
  place: DatabasePlace;
  database: Database;
  onClose: () => void;
}

export default function RotateDialog({ place, database, onClose }: RotateDialogProps) {
  const form = useRunForm({
    route: databaseRotate,
    schema,
    defaultValues: { overlap: '1' },
    labels: { overlap: 'The former password ends' },
    inputOf: ({ overlap }) => ({ params: { ...place }, body: { overlapHours: hoursOf(overlap) } }),
    doneOf: () => `${database.displayName} gets a new password`,
    onDone: onClose,
    hints: [
      { kind: 'database', ...place },
      { kind: 'secretGroup', app: place.app },
    ],
  });
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={`Rotate the credentials of ${database.displayName}`}
      description="A new login and password become the newest version of the secret group. Nobody sees them here."
      submitLabel="Rotate credentials"
      busyLabel="Starting"
    >
      <RadioCardsField form={form} name="overlap" options={overlapHours.map((hours) => ({ value: String(hours), ...cards[hours] }))} />
      <p className="dense quiet">
        Services go on with what they have until they are restarted:{' '}
        <Link className="in" href={paths.secretGroup({ ...place, group: database.secretGroup })}>
          {database.secretGroup}
        </Link>{' '}
        lists those that wait.{database.reader && ' The read-only login gets a new password, too.'}
      </p>
    </FormDialog>
  );
}
