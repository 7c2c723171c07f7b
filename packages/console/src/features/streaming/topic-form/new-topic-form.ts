/** The form of a new topic: defaults, and submission. */
import { topicCreate, TopicCreate, topicDefaults, topicLabels } from '@slipway/contract/streaming/topic.ts';
import { runOf } from '@slipway/contract/pipeline/plan.ts';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useNavigate } from 'react-router';
import type * as z from 'zod/mini';
import { refresh } from '#entities/changes/refresh.ts';
import { paths, pipelinePath } from '#entities/paths.ts';
import { useWrite } from '#kit/api/write.ts';
import { useApiForm, type ApiForm } from '#kit/form/use-api-form.ts';
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
export const useNewTopicForm = ({ app, env }: EventsPlace, valueSchema: string): NewTopicForm => {
  const create = useWrite(topicCreate);
  const navigate = useNavigate();
  return useApiForm({
    schema: TopicCreate,
    defaultValues: startOf(valueSchema),
    labels: topicLabels,
    messages: topicMessages,
    onSubmit: async (body) => {
      const run = runOf(await create.send({ params: { app, env }, body }));
      toast.success(`${body.name} is being created`, { href: pipelinePath(run), linkLabel: 'View pipeline' });
      await navigate(paths.topic({ app, env, topic: body.name }));
      await refresh({ kind: 'topic', app, env });
    },
  });
};
