/** Turns the read-only login on or off after showing the consequences. */
import { databaseReader, type Database } from '@slipway/contract/database/database.ts';
import { PlannedSwitch } from '#entities/plan/PlannedSwitch.tsx';

export default function ReaderDialog({ database, onClose }: { database: Database; onClose: () => void }) {
  const { app, environment, name, displayName, reader } = database;
  const params = { app, env: environment, database: name };
  const active = reader === null;
  return (
    <PlannedSwitch
      active={active}
      on={{
        title: `Turn on the read-only login of ${displayName}?`,
        description: 'For analysts and reporting services. It can be turned off at any time.',
        confirmLabel: 'Turn on',
        busyLabel: 'Turning on',
        keepLabel: 'Leave it off',
        done: `The read-only login of ${displayName} is being turned on`,
      }}
      off={{
        title: `Turn off the read-only login of ${displayName}?`,
        description: 'Its password ends. Turning it on again makes a new one.',
        confirmLabel: 'Turn off',
        busyLabel: 'Turning off',
        keepLabel: 'Keep it on',
        done: `The read-only login of ${displayName} is being turned off`,
      }}
      route={databaseReader}
      input={{ params, body: { active } }}
      name={name}
      environment={environment}
      hints={[
        { kind: 'database', ...params },
        { kind: 'secretGroup', app },
      ]}
      onClose={onClose}
    />
  );
}
