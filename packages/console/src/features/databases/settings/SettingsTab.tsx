/** The settings of a database. The user reviews changes before they apply; the form is read-only while a change is applied. */
import { databaseLabels, databaseUpdate, DatabaseUpdate, type Database } from '@slipway/contract/database/database.ts';
import { storageLadder } from '@slipway/contract/database/database-plan.ts';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { useEffect, useEffectEvent } from 'react';
import type * as z from 'zod/mini';
import { paths } from '#entities/paths.ts';
import { PlannedSettings } from '#entities/plan/PlannedSettings.tsx';
import { reasonOf } from '#kit/error/messages.ts';
import { TextField } from '#kit/form/TextField.tsx';
import type { ApiForm } from '#kit/form/use-api-form.ts';
import { useUrlState } from '#kit/state/url-state.ts';
import type { DatabasePlace } from '#features/databases/database-place.ts';
import { SizeFields } from '#features/databases/form/SizeFields.tsx';

type Values = z.input<typeof DatabaseUpdate>;

const settingsOf = ({ displayName, plan, storageGb, maxConnections, backupRetentionDays }: Database): Values => ({
  displayName,
  plan,
  storageGb,
  maxConnections,
  backupRetentionDays,
});

/** `?storage=128` preselects a storage step, as offered by notices. */
const defaults = { storage: 0 };

export interface SettingsTabProps {
  place: DatabasePlace;
  database: Database;
  team: string;
}

export default function SettingsTab({ place, database, team }: SettingsTabProps) {
  return (
    <PlannedSettings
      noun="database"
      title={database.displayName}
      name={database.name}
      environment={database.environment}
      route={databaseUpdate}
      schema={DatabaseUpdate}
      labels={databaseLabels}
      inputOf={(body) => ({ params: { ...place }, body })}
      hint={{ kind: 'database', ...place }}
      applied={settingsOf(database)}
      reason={reasonOf(database.can, 'update', { team })}
      tone={database.status.provisioning === 'RUNNING' ? 'run' : 'warn'}
      cancelHref={paths.database(place)}
      aside={() => <Fixed />}
    >
      {(form) => <Fields form={form} database={database} />}
    </PlannedSettings>
  );
}

/** Initial edits: a pending or failed change, otherwise the storage step from the URL. */
const draftOf = ({ draft, storageGb }: Database, offered: number): Partial<Values> => {
  if (draft !== null) return draft;
  return offered > storageGb && storageLadder.includes(offered) ? { storageGb: offered } : {};
};

function Fields({ form, database }: { form: ApiForm<Values>; database: Database }) {
  const { state } = useUrlState(defaults);
  const draft = JSON.stringify(draftOf(database, state.storage));
  const fill = useEffectEvent((): void => {
    for (const [name, value] of Object.entries(draftOf(database, state.storage))) form.setValue(name as keyof Values, value);
  });
  useEffect(() => fill(), [draft]);
  return (
    <>
      <TextField form={form} name="displayName" />
      <SizeFields
        form={form}
        names={{ plan: 'plan', storageGb: 'storageGb', maxConnections: 'maxConnections', backupRetentionDays: 'backupRetentionDays' }}
        leastStorageGb={database.storageGb}
      />
    </>
  );
}

function Fixed() {
  return (
    <Panel aria-labelledby="stays">
      <PanelHead title="What a change does" titleId="stays" />
      <PanelBody className="stack stack-12">
        <p className="dense">
          Changes are applied while the database serves. A pipeline applies them; until it is through, the fields are closed.
        </p>
        <p className="dense">A smaller number of connections holds for new ones: those that are open stay.</p>
        <p className="dense">Name, region and secret group stay. For another one, restore a backup into a new database.</p>
      </PanelBody>
    </Panel>
  );
}
