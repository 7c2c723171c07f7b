/** The form of a new stream: defaults, derived names, and submission. */
import { accountGroupName } from '@slipway/contract/streaming/account.ts';
import { streamCreate, StreamCreate, streamLabels } from '@slipway/contract/streaming/stream.ts';
import { topicDefaults } from '@slipway/contract/streaming/topic.ts';
import { pipelineView, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { runOf } from '@slipway/contract/pipeline/plan.ts';
import { useEffect, useEffectEvent, useRef } from 'react';
import { useWatch } from 'react-hook-form';
import type * as z from 'zod/mini';
import { refresh } from '#entities/changes/refresh.ts';
import { keepAnswer } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { useApiForm, type ApiForm } from '#kit/form/use-api-form.ts';
import { schemaSamples } from '#features/streaming/schema/schema-samples.ts';
import type { EventsPlace } from '#features/streaming/use-place.ts';

export type StreamValues = z.input<typeof StreamCreate>;
export type StreamForm = ApiForm<StreamValues>;

export const newSchema = (name: string): NonNullable<StreamValues['schema']> => ({
  name,
  type: 'AVRO',
  content: schemaSamples.AVRO,
  compatibility: 'BACKWARD',
  references: [],
});
export const newAccount = (name: string): NonNullable<StreamValues['account']> => ({
  name,
  isNew: true,
  description: '',
  operations: ['WRITE', 'READ'],
});
const start = (): StreamValues => ({
  schema: newSchema(''),
  topic: { name: '', description: '', tags: [], spec: { ...topicDefaults, keySchema: null } },
  account: newAccount(''),
});

/** `onStart`: called when the pipeline has started. */
export const useStreamForm = ({ app, env }: EventsPlace, onStart: (run: PipelineRun) => void): StreamForm => {
  const create = useWrite(streamCreate);
  return useApiForm({
    schema: StreamCreate,
    defaultValues: start(),
    labels: streamLabels,
    messages: { LowercaseLetters: '{label} can only contain lowercase letters', Required: '{label} is required' },
    onSubmit: async (body) => {
      const run = runOf(await create.send({ params: { app, env }, body }));
      await keepAnswer(pipelineView, { params: { pipelineId: run.pipelineId } }, run);
      onStart(run);
      for (const kind of ['topic', 'schema', 'account']) await refresh({ kind, app, env });
    },
  });
};

/** Every field has a default, which the form library's type does not express. */
export const useStreamValues = (form: StreamForm): StreamValues => useWatch({ control: form.control }) as StreamValues;

/** One name is enough: schema and account default to the topic's name, and the secret group to the account's, until the user edits them. */
export const useFollowingNames = (form: StreamForm, app: string): void => {
  const { schema, topic, account } = useStreamValues(form);
  const topicBefore = useRef(topic.name);
  const accountBefore = useRef(account?.name ?? '');
  const follow = useEffectEvent((name: string): void => {
    const before = topicBefore.current;
    topicBefore.current = name;
    if (schema?.name === before) form.setValue('schema.name', name);
    if (account?.isNew && account.name === before) form.setValue('account.name', name);
  });
  const followAccount = useEffectEvent((name: string): void => {
    const before = accountGroupName(app, accountBefore.current === '' ? 'account' : accountBefore.current);
    accountBefore.current = name;
    if (account?.secretGroup === before) form.setValue('account.secretGroup', accountGroupName(app, name === '' ? 'account' : name));
  });
  useEffect(() => follow(topic.name), [topic.name]);
  useEffect(() => followAccount(account?.name ?? ''), [account?.name]);
};
