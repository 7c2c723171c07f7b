/** Fields that the robot account forms share: expiry and secret destination. */
import { secretGroupList } from '@slipway/contract/secret/secret-group.ts';
import { Field } from '@slipway/ui/form/Field.tsx';
import { Input } from '@slipway/ui/form/Input.tsx';
import { Segmented } from '@slipway/ui/form/Segmented.tsx';
import { Select } from '@slipway/ui/form/Select.tsx';
import { useState } from 'react';
import { useController, useWatch } from 'react-hook-form';
import { useQuery } from '#kit/api/query.ts';
import { ComboboxField } from '#kit/form/ChoiceFields.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import type { ApiForm } from '#kit/form/use-api-form.ts';
import { dayAfter, dayLabel } from '#features/registry/days.ts';
import type { RobotValues } from './robot-form.ts';

type RobotForm = ApiForm<RobotValues>;

const spans = [30, 90, 365] as const;

/** Common periods, a custom day, or never. */
export function ExpiryField({ form }: { form: RobotForm }) {
  const {
    field: { ref, value, onChange, onBlur },
    fieldState,
  } = useController({ control: form.control, name: 'expiresOn' });
  const [now] = useState(() => new Date());
  const choices = spans.map((days) => {
    const day = dayAfter(days, now);
    return { value: day, label: `In ${days === 365 ? 'a year' : `${days} days`}, ${dayLabel(day, now)}` };
  });
  const [isOwn, setOwn] = useState(value !== '' && choices.every((choice) => choice.value !== value));
  const choose = (chosen: string): void => {
    setOwn(chosen === 'own');
    if (chosen !== 'own') onChange(chosen === 'never' ? '' : chosen);
  };
  return (
    <Field label={form.labels['expiresOn']} hint="It works to the end of that day, UTC." error={fieldState.error?.message}>
      <Select
        options={[...choices, { value: 'own', label: 'On another day' }, { value: 'never', label: 'Never' }]}
        value={isOwn ? 'own' : value || 'never'}
        onChange={choose}
        onBlur={onBlur}
      />
      {isOwn && (
        <Input
          type="date"
          id={`${form.id}-day`}
          aria-label="Last day"
          ref={ref}
          value={value}
          min={dayAfter(0, now)}
          onChange={(event) => onChange(event.target.value)}
          onBlur={onBlur}
        />
      )}
    </Field>
  );
}

export type Destination = 'screen' | 'group';
interface DestinationProps {
  form: RobotForm;
  app: string;
  value: Destination;
  onChange: (value: Destination) => void;
}

/** Shows the secret once on screen, or writes it into a secret group so that nobody sees it. */
export function SecretDestination({ form, app, value, onChange }: DestinationProps) {
  return (
    <>
      <Field
        label="The new secret"
        hint={value === 'group' ? 'The group gets a new version. Nobody sees the secret.' : 'Copy it then: nobody can read it later.'}
        isGroup
      >
        <Segmented
          label="The new secret"
          options={[
            { value: 'screen', label: 'Show it once' },
            { value: 'group', label: 'Put it into a secret group' },
          ]}
          value={value}
          onChange={onChange}
        />
      </Field>
      {value === 'group' && <SecretPlace form={form} app={app} />}
    </>
  );
}

const offered = 100;
function SecretPlace({ form, app }: Pick<DestinationProps, 'form' | 'app'>) {
  const { field } = useController({ control: form.control, name: 'into.environment' });
  const env = useWatch({ control: form.control, name: 'into.environment' });
  const groups = useQuery(secretGroupList, { params: { app, env }, query: { size: offered } });
  return (
    <>
      <Field label={form.labels['into.environment']} isGroup>
        <Segmented
          label="Environment"
          options={[
            { value: 'production', label: 'Production' },
            { value: 'development', label: 'Development' },
          ]}
          value={field.value}
          onChange={(next) => {
            field.onChange(next);
            form.setValue('into.group', '');
          }}
        />
      </Field>
      <div className="pair">
        <ComboboxField
          form={form}
          name="into.group"
          options={(groups.data?.content ?? [])
            .filter(({ kind }) => kind !== 'PLATFORM')
            .map(({ name, version }) => ({ value: name, label: name, note: `v${version}` }))}
          isLoading={!groups.data}
          searchLabel="Search secret groups"
          emptyText={`There is no secret group in ${env}`}
        />
        <TextField form={form} name="into.key" isMono spellCheck={false} autoCapitalize="off" placeholder="REGISTRY_PASSWORD" />
      </div>
    </>
  );
}

const overlaps = [
  { value: '1', label: 'Works for 1 hour' },
  { value: '24', label: 'For 24 hours' },
  { value: '0', label: 'Ends at once' },
] as const;

/** How long logins with the old secret keep working. */
export function OverlapField({ form }: { form: RobotForm }) {
  const { field } = useController({ control: form.control, name: 'overlapHours' });
  return (
    <Field label={form.labels['overlapHours']} hint="Long enough for your pipelines to take the new one over." isGroup>
      <Segmented
        label="The old secret"
        options={[...overlaps]}
        value={overlaps.find(({ value }) => Number(value) === field.value)?.value ?? '1'}
        onChange={(value) => field.onChange(Number(value))}
      />
    </Field>
  );
}
