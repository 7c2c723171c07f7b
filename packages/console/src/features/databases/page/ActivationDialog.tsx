/** Activates or deactivates a database after showing the consequences. */
import { databaseActivation, type Database } from '@slipway/contract/database/database.ts';
import { PlannedSwitch } from '#entities/plan/PlannedSwitch.tsx';

export default function ActivationDialog({ database, onClose }: { database: Database; onClose: () => void }) {
  const { app, environment, name, displayName } = database;
  const params = { app, env: environment, database: name };
  const active = !database.active;
  return (
    <PlannedSwitch
      active={active}
      on={{
        title: `Activate ${displayName}?`,
        description: 'Services connect again by themselves: their keys are the same.',
        confirmLabel: `Activate ${displayName}`,
        busyLabel: 'Activating',
        keepLabel: 'Leave it off',
        done: `${displayName} is being activated`,
      }}
      off={{
        title: `Deactivate ${displayName}?`,
        description: 'Data, backups and settings stay. It can be activated again at any time.',
        confirmLabel: `Deactivate ${displayName}`,
        busyLabel: 'Deactivating',
        keepLabel: 'Keep it active',
        done: `${displayName} is being deactivated`,
      }}
      route={databaseActivation}
      input={{ params, body: { active } }}
      name={name}
      environment={environment}
      hints={[{ kind: 'database', ...params }]}
      onClose={onClose}
    />
  );
}
