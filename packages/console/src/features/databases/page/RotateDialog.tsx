/** Rotates the password of a database, and that of its read-only login. */
import { databaseRotate, type Database } from '@slipway/contract/database/database.ts';
import { RotatePasswordDialog } from '#entities/resource/RotatePasswordDialog.tsx';
import type { DatabasePlace } from '#features/databases/database-place.ts';

export interface RotateDialogProps {
  place: DatabasePlace;
  database: Database;
  onClose: () => void;
}

export default function RotateDialog({ place, database: { displayName, secretGroup, reader }, onClose }: RotateDialogProps) {
  const hint = { kind: 'database', ...place };
  return (
    <RotatePasswordDialog title={displayName} route={databaseRotate} place={place} group={secretGroup} hint={hint} onClose={onClose}>
      {reader && ' The read-only login gets a new password, too.'}
    </RotatePasswordDialog>
  );
}
