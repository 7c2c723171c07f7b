/** Activates or deactivates a database after showing the consequences. */
import { databaseActivation, type Database } from '@slipway/contract/database/database.ts';
import { refresh } from '#entities/changes/refresh.ts';
import { toastRun } from '#entities/pipeline/index.ts';
import { PlannedAction } from '#entities/plan/PlannedAction.tsx';

const off = ({ displayName }: Database) =>
  ({
    title: `Deactivate ${displayName}?`,
    description: 'Data, backups and settings stay. It can be activated again at any time.',
    confirmLabel: `Deactivate ${displayName}`,
    busyLabel: 'Deactivating',
    keepLabel: 'Keep it active',
    variant: 'danger',
  }) as const;
const on = ({ displayName }: Database) =>
  ({
    title: `Activate ${displayName}?`,
    description: 'Services connect again by themselves: their keys are the same.',
    confirmLabel: `Activate ${displayName}`,
    busyLabel: 'Activating',
    keepLabel: 'Leave it off',
    variant: 'primary',
  }) as const;

export default function ActivationDialog({ database, onClose }: { database: Database; onClose: () => void }) {
  const active = !database.active;
  const { description, ...words } = active ? on(database) : off(database);
  const params = { app: database.app, env: database.environment, database: database.name };
  return (
    <PlannedAction
      {...words}
      route={databaseActivation}
      input={{ params, body: { active } }}
      subject={database.name}
      environment={database.environment}
      onClose={onClose}
      onDone={(run) => {
        toastRun(`${database.displayName} is being ${active ? 'activated' : 'deactivated'}`, run);
        onClose();
        void refresh({ kind: 'database', ...params });
      }}
    >
      {() => <p>{description}</p>}
    </PlannedAction>
  );
}
