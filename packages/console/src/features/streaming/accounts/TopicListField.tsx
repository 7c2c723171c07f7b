/** The topics that an account writes or reads, in its form. Shows the consequence of each choice. */
import type { AccountCreate } from '@slipway/contract/streaming/account.ts';
import type { TopicOperation } from '@slipway/contract/streaming/grant.ts';
import { Combobox } from '@slipway/ui/form/Combobox.tsx';
import { Field } from '@slipway/ui/form/Field.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { X } from 'lucide-react';
import { useController, useFormState } from 'react-hook-form';
import type * as z from 'zod/mini';
import type { ApiForm } from '#kit/form/use-api-form.ts';
import { LineList } from '#features/streaming/parts/LineList.tsx';
import { useEventsPlace, type EventsPlace } from '#features/streaming/use-place.ts';
import { grantHint, type OfferedTopics } from './offered-topics.ts';

interface TopicListFieldProps {
  form: ApiForm<z.input<typeof AccountCreate>>;
  name: 'produceTopics' | 'consumeTopics';
  operation: TopicOperation;
  place: EventsPlace;
  offered: OfferedTopics;
}

export function TopicListField({ form, name, operation, place, offered }: TopicListFieldProps) {
  const {
    field: { ref, value, onChange, onBlur },
    fieldState,
  } = useController({ control: form.control, name });
  const { errors } = useFormState({ control: form.control, name });
  const { at } = useEventsPlace();
  const listed = value ?? [];
  const add = (id: string | null): void => {
    const topic = offered.byId(id);
    if (!topic) return;
    offered.keep(topic);
    onChange([...listed, { resourceId: topic.id, resourceType: 'TOPIC', applicationCode: topic.applicationCode }]);
  };
  const rest = offered.found.filter(({ id }) => !listed.some(({ resourceId }) => resourceId === id));
  return (
    <div className="stack stack-8">
      <Field label={form.labels[name]} labelNote="optional" error={fieldState.error?.message}>
        <Combobox
          ref={ref}
          name={name}
          value={null}
          onChange={add}
          onBlur={onBlur}
          options={rest.map(({ id, name: topic, applicationCode, topicName }) => ({
            value: id,
            label: applicationCode === place.app ? topic : topicName,
            note: applicationCode === place.app ? 'this app' : applicationCode,
          }))}
          onSearch={offered.search}
          isLoading={offered.isLoading}
          searchLabel="Search topics"
          emptyText="No topic fits"
          placeholder="Add a topic"
        />
      </Field>
      {listed.length > 0 && (
        <LineList
          label={form.labels[name]}
          items={listed.map(({ resourceId }, row) => {
            const topic = offered.byId(resourceId);
            const error = errors[name]?.[row]?.message;
            return {
              key: resourceId,
              main: <code>{topic?.topicName ?? resourceId}</code>,
              below: topic && grantHint({ ...place, team: at.application?.teamId }, topic, operation),
              ...(error === undefined ? {} : { error }),
              end: (
                <IconButton
                  label={`Remove ${topic?.name ?? resourceId}`}
                  size="sm"
                  variant="quiet"
                  icon={<X aria-hidden="true" />}
                  onClick={() => onChange(listed.filter((one) => one.resourceId !== resourceId))}
                />
              ),
            };
          })}
        />
      )}
    </div>
  );
}
