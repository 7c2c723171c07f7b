/** The form of a new database. Its name follows the display name until the user edits it. */
import { databaseCreate, DatabaseCreate, databaseLabels, type databaseOptionsView } from '@slipway/contract/database/database.ts';
import type { ResponseOf } from '@slipway/contract/kernel/kernel.ts';
import { serviceList } from '@slipway/contract/service/service.ts';
import { Field } from '@slipway/ui/form/Field.tsx';
import { Input } from '@slipway/ui/form/Input.tsx';
import { Select } from '@slipway/ui/form/Select.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { useController, useWatch } from 'react-hook-form';
import type * as z from 'zod/mini';
import { paths, type AppRef } from '#entities/paths.ts';
import { regionName } from '#entities/region.ts';
import { NewForm } from '#entities/resource/NewPage.tsx';
import { useRunForm } from '#entities/resource/use-run-form.ts';
import { useQuery } from '#kit/api/query.ts';
import { CheckboxesField } from '#kit/form/ChoiceFields.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import type { ApiForm } from '#kit/form/use-api-form.ts';
import { toDatabaseName } from '#features/databases/database-labels.ts';
import { DatabaseNameHint } from './DatabaseNameHint.tsx';
import { SizeFields } from './SizeFields.tsx';
import { WillBeMade } from './WillBeMade.tsx';

export type Regions = ResponseOf<typeof databaseOptionsView>['regions'];
type Values = z.input<typeof DatabaseCreate>;
type DatabaseForm = ApiForm<Values>;

const startOf = (app: string, regions: Regions): Values => ({
  displayName: '',
  name: toDatabaseName(app),
  region: (regions.find(({ engineVersion }) => engineVersion !== null) ?? regions[0])?.region ?? 'WESTEUROPE',
  plan: 'BURSTABLE_1',
  storageGb: 32,
  maxConnections: 50,
  backupRetentionDays: 14,
  attachTo: [],
});

export interface NewDatabaseFormProps {
  place: AppRef;
  regions: Regions;
  /** Why the user may not create a database. */
  reason: string | undefined;
}

const useNewForm = (place: AppRef, regions: Regions): DatabaseForm =>
  useRunForm({
    route: databaseCreate,
    schema: DatabaseCreate,
    defaultValues: startOf(place.app, regions),
    labels: { ...databaseLabels, region: 'Region', attachTo: 'Attach to' },
    inputOf: (body) => ({ params: { ...place }, body }),
    doneOf: ({ displayName }) => `${displayName} is being created`,
    hrefOf: ({ name }) => paths.database({ ...place, database: name }),
    hints: [{ kind: 'database', ...place }],
  });

export function NewDatabaseForm({ place, regions, reason }: NewDatabaseFormProps) {
  const form = useNewForm(place, regions);
  // Every field has a default, which the form library's type does not express.
  const values = useWatch({ control: form.control }) as Values;
  return (
    <NewForm
      noun="database"
      form={form}
      disabledReason={reason}
      cancelHref={paths.databases(place)}
      aside={<WillBeMade place={place} values={values} engineVersion={regionIn(regions, values.region)?.engineVersion ?? null} />}
    >
      <NameFields form={form} place={place} name={values.name} />
      <RegionField form={form} regions={regions} />
      <SizeFields
        form={form}
        names={{ plan: 'plan', storageGb: 'storageGb', maxConnections: 'maxConnections', backupRetentionDays: 'backupRetentionDays' }}
        mostConnections={regionIn(regions, values.region)?.connectionsLeft ?? undefined}
      />
      <AttachField form={form} place={place} />
    </NewForm>
  );
}

const regionIn = (regions: Regions, region: string): Regions[number] | undefined => regions.find((known) => known.region === region);

function NameFields({ form, place, name }: { form: DatabaseForm; place: AppRef; name: string }) {
  const { field, fieldState } = useController({ control: form.control, name: 'displayName' });
  /** Derives the name from the display name, or from the app's name if the display name is empty. */
  const nameFor = (displayName: string): string => toDatabaseName(displayName) || toDatabaseName(place.app);
  const follow = (next: string): void => {
    if (name === nameFor(field.value)) form.setValue('name', nameFor(next));
    field.onChange(next);
  };
  return (
    <>
      <Field label={form.labels['displayName']} error={fieldState.error?.message}>
        <Input {...field} onChange={(event) => follow(event.target.value)} />
      </Field>
      <TextField
        form={form}
        name="name"
        isMono
        spellCheck={false}
        autoCapitalize="off"
        normalise={(text) => text.toLowerCase().trim()}
        hint={<DatabaseNameHint place={place} name={name} />}
      />
    </>
  );
}

function RegionField({ form, regions }: { form: DatabaseForm; regions: Regions }) {
  const {
    field: { ref, value, onChange, onBlur },
    fieldState,
  } = useController({ control: form.control, name: 'region' });
  const isAway = (regionIn(regions, value)?.engineVersion ?? null) === null;
  return (
    <Field
      label={form.labels['region']}
      error={fieldState.error?.message}
      hint={
        isAway
          ? 'Its database server does not answer now. The pipeline waits for it.'
          : 'Choose where your services run: each query goes there and back.'
      }
    >
      <Select
        ref={ref}
        name="region"
        value={value}
        onChange={onChange}
        onBlur={onBlur}
        options={regions.map(({ region, engineVersion }) => ({
          value: region,
          label: regionName(region),
          note: engineVersion === null ? 'does not answer' : `PostgreSQL ${engineVersion}`,
        }))}
      />
    </Field>
  );
}

const servicesOffered = 100;

function AttachField({ form, place }: { form: DatabaseForm; place: AppRef }) {
  const { data } = useQuery(serviceList, { params: { app: place.app, env: place.env }, query: { size: servicesOffered } }, { pollMs: 0 });
  const services = data?.content ?? [];
  if (services.length === 0) return null;
  return (
    <CheckboxesField
      form={form}
      name="attachTo"
      labelNote="optional"
      hint="Each reads the secret group from its next revision on."
      options={services.map(({ name, status }) => ({
        value: name,
        label: name,
        note: status.replicasReady === 0 ? 'no instances' : count(status.replicasReady, 'instance'),
      }))}
    />
  );
}
