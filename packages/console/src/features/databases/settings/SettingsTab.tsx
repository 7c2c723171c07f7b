/** The settings of a database. The user reviews changes before they apply; the form is read-only while a change is applied. */
import { databaseLabels, databaseUpdate, DatabaseUpdate, type Database } from '@slipway/contract/database/database.ts';
import { storageLadder } from '@slipway/contract/database/database-plan.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { useEffect, useEffectEvent } from 'react';
import type * as z from 'zod/mini';
import { refresh } from '#entities/changes/refresh.ts';
import { paths } from '#entities/paths.ts';
import { toastRun } from '#entities/pipeline/index.ts';
import { ConfirmChanges } from '#entities/plan/ConfirmChanges.tsx';
import { usePlannedForm, type PlannedForm } from '#entities/plan/use-planned-form.ts';
import { useWrite } from '#kit/api/write.ts';
import { reasonOf } from '#kit/error/messages.ts';
import { PageForm } from '#kit/form/PageForm.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { useUrlState } from '#kit/state/url-state.ts';
import { UnsavedGuard } from '#kit/page/UnsavedGuard.tsx';
import type { DatabasePlace } from '#features/databases/database-place.ts';
import { SizeFields } from '#features/databases/form/SizeFields.tsx';
import css from './SettingsTab.module.css';

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

/** Resets the form to the applied settings after a change completes. */
export default function SettingsTab(props: SettingsTabProps) {
  const applied = settingsOf(props.database);
  return <SettingsForm key={JSON.stringify(applied)} {...props} applied={applied} />;
}

/** Initial edits: a pending or failed change, otherwise the storage step from the URL. */
const draftOf = ({ draft, storageGb }: Database, offered: number): Partial<Values> => {
  if (draft !== null) return draft;
  return offered > storageGb && storageLadder.includes(offered) ? { storageGb: offered } : {};
};

const useSettingsForm = ({ place, database }: SettingsTabProps, applied: Values): PlannedForm<Values> => {
  const update = useWrite(databaseUpdate);
  const params = { ...place };
  return usePlannedForm({
    schema: DatabaseUpdate,
    defaultValues: applied,
    labels: databaseLabels,
    send: (body, isDryRun) => update.send({ params, body, ...(isDryRun ? { query: { dryRun: 'true' } } : {}) }),
    onStarted: async (run) => {
      toastRun(`${database.displayName} is being changed`, run);
      await refresh({ kind: 'database', ...place });
    },
  });
};

function SettingsForm(props: SettingsTabProps & { applied: Values }) {
  const { place, database, team, applied } = props;
  const { state } = useUrlState(defaults);
  const planned = useSettingsForm(props, applied);
  const { form, plan, confirm, dismiss } = planned;
  const draft = JSON.stringify(draftOf(database, state.storage));
  const fill = useEffectEvent((): void => {
    for (const [name, value] of Object.entries(draftOf(database, state.storage))) form.setValue(name as keyof Values, value);
  });
  useEffect(() => fill(), [draft]);
  const reason = reasonOf(database.can, 'update', { team });
  return (
    <>
      <PageForm
        form={form}
        label="Settings of the database"
        hasGuard={false}
        submitLabel="Review changes"
        busyLabel="Looking"
        disabledReason={reason}
        cancelHref={paths.database(place)}
        aside={<Fixed />}
      >
        {reason !== undefined && (
          <Notice tone={database.status.provisioning === 'RUNNING' ? 'run' : 'warn'} isLive>
            {reason}
          </Notice>
        )}
        <fieldset className={`stack stack-24 ${css.fields}`} disabled={reason !== undefined}>
          <legend className="sr">Settings</legend>
          <TextField form={form} name="displayName" />
          <SizeFields
            form={form}
            names={{ plan: 'plan', storageGb: 'storageGb', maxConnections: 'maxConnections', backupRetentionDays: 'backupRetentionDays' }}
            leastStorageGb={applied.storageGb}
          />
        </fieldset>
      </PageForm>
      {/* A change in progress is already submitted, so leaving loses nothing. */}
      <UnsavedGuard isDirty={form.isDirty} isReleased={() => reason !== undefined} />
      {plan && (
        <ConfirmChanges
          plan={plan}
          title={`Change ${database.displayName}?`}
          subject={database.name}
          environment={database.environment}
          confirmLabel={database.environment === 'production' ? 'Apply to production' : 'Apply changes'}
          onConfirm={confirm}
          onClose={dismiss}
        />
      )}
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
