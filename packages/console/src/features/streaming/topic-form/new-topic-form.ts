/** The form of a new topic: defaults, and submission. */
import { topicCreate, TopicCreate, topicDefaults, topicLabels } from '@slipway/contract/streaming/topic.ts';
import type * as z from 'zod/mini';
import { paths } from '#entities/paths.ts';
import { useRunForm } from '#entities/resource/use-run-form.ts';
import type { ApiForm } from '#kit/form/use-api-form.ts';
import { tagMessages } from './TagsField.tsx';
import type { EventsPlace } from '#features/streaming/use-place.ts';

type Values = z.input<typeof TopicCreate>;
export type NewTopicForm = ApiForm<Values>;

/** Specification §5. */
export const topicMessages = {
  LowercaseLetters: 'Name can only contain lowercase letters',
  Required: '{label} is required',
  ...tagMessages,
};

const startOf = (valueSchema: string): Values => ({
  name: '',
  description: '',
  tags: [],
  spec: { ...topicDefaults, keySchema: null, valueSchema: { resourceId: valueSchema, resourceType: 'SCHEMA' } },
});

/** `valueSchema`: id of a preselected schema, as linked from the schema page. */
export const useNewTopicForm = (place: EventsPlace, valueSchema: string): NewTopicForm =>
  useRunForm({
    route: topicCreate,
    schema: TopicCreate,
    defaultValues: startOf(valueSchema),
    labels: topicLabels,
    messages: topicMessages,
    inputOf: (body) => ({ params: { ...place }, body }),
    doneOf: ({ name }) => `${name} is being created`,
    hrefOf: ({ name }) => paths.topic({ ...place, topic: name }),
    hints: [{ kind: 'topic', ...place }],
  });
