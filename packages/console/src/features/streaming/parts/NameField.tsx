/**
 * The name of a new topic, schema or account, after the app's prefix, with an availability check. Queries the list, because a request for a
 * missing object would fail.
 */
import { accountList, AccountName } from '@slipway/contract/streaming/account.ts';
import { schemaList, SchemaName } from '@slipway/contract/streaming/schema.ts';
import { topicList, TopicName } from '@slipway/contract/streaming/topic.ts';
import { useFieldControl } from '@slipway/ui/form/Field.tsx';
import type { ReactNode } from 'react';
import { useWatch, type FieldPath, type FieldValues } from 'react-hook-form';
import { useQuery } from '#kit/api/query.ts';
import { Availability, useIsRested } from '#kit/form/Availability.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import type { ApiForm } from '#kit/form/use-api-form.ts';
import type { EventsPlace } from '#features/streaming/use-place.ts';

const named = {
  topic: { list: topicList, rule: TopicName },
  schema: { list: schemaList, rule: SchemaName },
  account: { list: accountList, rule: AccountName },
} as const;

interface NameFieldProps<Values extends FieldValues> {
  form: ApiForm<Values>;
  name: FieldPath<Values>;
  place: EventsPlace;
  of: keyof typeof named;
  /** Shown before the availability. */
  hint?: ReactNode;
}

export function NameField<Values extends FieldValues>({ form, name, place, of, hint }: NameFieldProps<Values>) {
  const value: unknown = useWatch({ control: form.control, name });
  return (
    <TextField
      form={form}
      name={name}
      isMono
      lead={`${place.app}.`}
      spellCheck={false}
      autoCapitalize="off"
      hint={
        <>
          {hint} <FreeName place={place} of={of} name={typeof value === 'string' ? value : ''} />
        </>
      }
    />
  );
}

function FreeName({ place, of, name }: { place: EventsPlace; of: keyof typeof named; name: string }) {
  const { list, rule } = named[of];
  const { app, env } = place;
  // A rejected name is not also shown as available.
  const isRefused = useFieldControl({})['aria-invalid'] === true;
  const isReady = useIsRested(`${env}/${name}`) && rule.safeParse(name).success;
  const { data } = useQuery<typeof list>(list, isReady && { params: { app, env }, query: { query: name, size: 100 } }, { pollMs: 0 });
  const check = !isReady || !data ? undefined : data.content.some((one) => one.name === name) ? 'taken' : 'free';
  return <Availability name={name} check={isRefused ? undefined : check} />;
}
