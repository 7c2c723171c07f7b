/**
 * A stream: a schema, a topic and an account, created together by one pipeline or not at all. Afterwards they are independent, as if
 * created separately.
 */
import * as z from 'zod/mini';
import type { ErrorCode } from '../kernel/errors.ts';
import { route } from '../kernel/kernel.ts';
import { startsRun } from '../pipeline/plan.ts';
import { SecretGroupName } from '../secret/secret-group.ts';
import { accountLabels, AccountName, accountResource } from './account.ts';
import { TopicOperation } from './grant.ts';
import { SchemaCreate, schemaLabels, schemaResource } from './schema.ts';
import { TopicCreate, topicLabels, topicResource, TopicSpecToCome } from './topic.ts';

export const StreamTopic = z.extend(TopicCreate, { spec: TopicSpecToCome });

export const StreamAccount = z
  .object({
    name: AccountName,
    /** False selects an existing account, which keeps its password and its other topics. */
    isNew: z._default(z.boolean(), true),
    /** For a new account only. */
    description: z._default(z.string().check(z.trim(), z.maxLength(500, { error: 'ExceedsMaximumLength' })), ''),
    /** Operations that the account needs on the topic. */
    operations: z._default(z.array(TopicOperation, { error: 'Required' }).check(z.minLength(1, { error: 'Required' })), ['WRITE', 'READ']),
    /**
     * For a new account only: secret group that the platform creates with everything a client needs. Without it the password is shown once.
     */
    secretGroup: z.optional(SecretGroupName),
  })
  .check(z.refine(({ isNew, secretGroup }) => isNew || secretGroup === undefined, { error: 'InvalidValue', path: ['secretGroup'] }));
export type StreamAccount = z.output<typeof StreamAccount>;

/** A topic uses either the schema that is created with it or an existing one. Exactly one of them is required. */
const valueSchemaPath = ['topic', 'spec', 'valueSchema', 'resourceId'];
export const StreamCreate = z.object({ schema: z.optional(SchemaCreate), topic: StreamTopic, account: z.optional(StreamAccount) }).check(
  z.refine(({ schema, topic }) => schema !== undefined || topic.spec.valueSchema !== undefined, {
    error: 'Required',
    path: valueSchemaPath,
  }),
  z.refine(({ schema, topic }) => schema === undefined || topic.spec.valueSchema === undefined, {
    error: 'InvalidValue',
    path: valueSchemaPath,
  }),
);
export type StreamCreate = z.output<typeof StreamCreate>;

/** Prefixes field names with their part: `schema.content`, `topic.name`. */
const inPart = (part: string, labels: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).map(([field, label]) => [`${part}.${field}`, label]));
export const streamLabels: Readonly<Record<string, string>> = {
  ...inPart('schema', schemaLabels),
  ...inPart('topic', topicLabels),
  ...inPart('account', accountLabels),
  'topic.name': 'Topic name',
  'account.operations': 'What it may do',
};

const own: readonly ErrorCode[] = ['AccountDoesNotExist', 'AccountNotCreated', 'StreamingPipelineRunning'];
const partCodes: readonly ErrorCode[] = [
  ...schemaResource.create.codes,
  ...topicResource.create.codes,
  ...accountResource.create.codes.filter((code) => code !== 'TopicNotShared' && code !== 'DuplicateTopic' && code !== 'TopicDoesNotExist'),
];

export const streamCreate = route('streamCreate', 'POST /api/v1/apps/{app}/{env}/streams', {
  ...startsRun,
  summary: 'Make a schema, a topic with it and an account for it, in one pipeline; schema and account may be there already',
  tag: 'Event streaming',
  access: 'appMember',
  body: StreamCreate,
  fieldLabel: (field) => streamLabels[field],
  bodyLimitKilobytes: 1024,
  codes: [...new Set([...partCodes, ...own])],
});
