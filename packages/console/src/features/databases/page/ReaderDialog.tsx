/** Turns the read-only login on or off after showing the consequences. */
import { databaseReader, type Database } from '@slipway/contract/database/database.ts';
import { refresh } from '#entities/changes/refresh.ts';
import { toastRun } from '#entities/pipeline/index.ts';
import { PlannedAction } from '#entities/plan/PlannedAction.tsx';

const on = {
  confirmLabel: 'Turn on',
  busyLabel: 'Turning on',
  keepLabel: 'Leave it off',
  variant: 'primary',
} as const;
const off = {
  confirmLabel: 'Turn off',
  busyLabel: 'Turning off',
  keepLabel: 'Keep it on',
  variant: 'danger',
} as const;

export default function ReaderDialog({ database, onClose }: { database: Database; onClose: () => void }) {
  const active = database.reader === null;
  const params = { app: database.app, env: database.environment, database: database.name };
  return (
    <PlannedAction
      {...(active ? on : off)}
      title={`Turn ${active ? 'on' : 'off'} the read-only login of ${database.displayName}?`}
      route={databaseReader}
      input={{ params, body: { active } }}
      subject={database.name}
      environment={database.environment}
      onClose={onClose}
      onDone={async (run) => {
        toastRun(`The read-only login of ${database.displayName} is being turned ${active ? 'on' : 'off'}`, run);
        onClose();
        await refresh({ kind: 'database', ...params });
        await refresh({ kind: 'secretGroup', app: params.app });
      }}
    >
      {() => (
        <p>
          {active
            ? 'For analysts and reporting services. It can be turned off at any time.'
            : 'Its password ends. Turning it on again makes a new one.'}
        </p>
      )}
    </PlannedAction>
  );
}
