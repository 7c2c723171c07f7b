/** Every pipeline of schemas, topics and accounts: what has to be there before, how it begins, and its steps, at which it is killed. */
import { expect } from 'vitest';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { accountCreate, accountUpdate } from '@slipway/contract/streaming/account.ts';
import { accountRotate } from '@slipway/contract/streaming/account-password.ts';
import { topicGrantApprove, topicGrantRevoke } from '@slipway/contract/streaming/grant.ts';
import { schemaUpdate } from '@slipway/contract/streaming/schema.ts';
import { streamCreate } from '@slipway/contract/streaming/stream.ts';
import { topicDriftView, topicReconcile, type TopicDrift } from '@slipway/contract/streaming/topic-status.ts';
import { topicUpdate } from '@slipway/contract/streaming/topic.ts';
import { avro, place, topicLists, topicSpec, type KilledPlatform, type StreamingKind } from './killed-platform.ts';

export interface StreamingChange {
  readonly name: string;
  readonly kind: StreamingKind;
  readonly before?: (on: KilledPlatform, name: string) => Promise<unknown>;
  /** Answers the pipeline. */
  readonly begin: (on: KilledPlatform, name: string) => Promise<string>;
  /** Steps at which a run dies: the step's work is done, but nobody has recorded it. */
  readonly steps: readonly string[];
  /** The run is cancelled where it stands in the first, and the server is killed once more when the second was taken back. */
  readonly undone?: readonly (readonly [at: string, undo: string])[];
  /** Whether the change deletes its entity. */
  readonly isDeletion?: boolean;
  /**
   * Account's password after the change. `first`: the account had none and gets one.
   * `second`: both passwords work. `other`: the former password no longer works.
   */
  readonly password?: 'first' | 'second' | 'other';
  /** Taken back, it leaves no row that could be discarded. */
  readonly isAllOrNothing?: boolean;
  /** Kinds of the other entities that the change creates. */
  readonly others?: readonly StreamingKind[];
}

const made = (kind: StreamingKind) => async (on: KilledPlatform, name: string) => on.completed(await on.make[kind](name));

/** Somebody changes the topic behind the platform's back, and the platform sees it. */
const drifted = async (on: KilledPlatform, name: string): Promise<void> => {
  await on.completed(await on.make.topic(name));
  const configs = [{ name: 'retention.ms', configOperation: 0, value: '3600000' }];
  const resources = [{ resourceType: 2, resourceName: `berth.${name}`, configs }];
  await on.asAdministrator((client) => client.call('IncrementalAlterConfigs', 1, { resources, validateOnly: false }));
  const differences = async () => ((await on.server.call(topicDriftView, { params: { ...place, topic: name } })) as TopicDrift).differences;
  await expect.poll(differences).toHaveLength(1);
};

/** A request is asked by an account of one team for a topic of another. */
const asking = async (on: KilledPlatform, name: string): Promise<void> => {
  const wanted = { name, ...topicLists([], []), consumeTopics: [{ resourceId: 'arrivals', applicationCode: 'eta' }] };
  await on.completed(await on.send(accountCreate, {}, wanted));
};
/** The answer to a decision is the grant; its pipeline is the account's newest. */
const decide = async (on: KilledPlatform, route: RouteShape, account: string, state: string): Promise<string> => {
  const { pool } = on.database;
  const grants = await pool.query<{ id: string }>(
    'select topic_grant.id from topic_grant join account on account.id = account_id where account.name = $1 and topic_grant.state = $2',
    [account, state],
  );
  await on.server.call(route, { params: { grant: grants.rows[0]?.id ?? '' }, body: { reason: 'Why not' } });
  const key = `account:${place.app}/${place.env}/${account}`;
  const pipelines = await pool.query<{ id: string }>('select id from pipeline where subject = $1 order by created_at desc limit 1', [key]);
  return pipelines.rows[0]?.id ?? '';
};

const streamOf = (name: string) => ({
  schema: { name, content: avro() },
  topic: { name, description: 'Killed', spec: { ...topicSpec, replicationFactor: 1 } },
  account: { name },
});

export const streamingChanges: readonly StreamingChange[] = [
  {
    name: 'a schema is made',
    kind: 'schema',
    begin: (on, name) => on.make.schema(name),
    steps: ['ValidateSchema', 'RegisterSchema', 'WaitForSchemaCreation', 'CreateSchema'],
    undone: [
      ['ValidateSchema', 'ValidateSchema'],
      ['RegisterSchema', 'RegisterSchema'],
      ['WaitForSchemaCreation', 'ValidateSchema'],
    ],
  },
  {
    name: 'a schema is changed',
    kind: 'schema',
    before: made('schema'),
    begin: (on, schema) =>
      on.send(schemaUpdate, { schema }, { content: avro({ name: 'pilot', type: 'string', default: '' }), revisionId: 1 }),
    steps: ['CheckCompatibility', 'RegisterSchema', 'UpdateSchema'],
    undone: [['RegisterSchema', 'RegisterSchema']],
  },
  {
    name: 'a schema is deleted',
    kind: 'schema',
    before: made('schema'),
    begin: (on, name) => on.remove.schema(name),
    steps: ['DeleteSubjects', 'DeleteSchema'],
    isDeletion: true,
  },
  {
    name: 'a topic is made',
    kind: 'topic',
    begin: (on, name) => on.make.topic(name),
    steps: ['CheckTopic', 'RegisterTopicSchemas', 'CreateKafkaTopic', 'WaitForTopicCreation', 'CreateTopic'],
    undone: [
      ['CheckTopic', 'CheckTopic'],
      ['RegisterTopicSchemas', 'RegisterTopicSchemas'],
      ['CreateKafkaTopic', 'CreateKafkaTopic'],
      ['WaitForTopicCreation', 'RegisterTopicSchemas'],
    ],
  },
  {
    name: 'a topic is changed',
    kind: 'topic',
    before: made('topic'),
    begin: (on, topic) =>
      on.send(topicUpdate, { topic }, { description: 'Changed', spec: { ...topicSpec, retentionHours: 2, partitionNumber: 3 } }),
    steps: ['ApplyTopicSettings', 'AddPartitions', 'UpdateTopic'],
    undone: [['ApplyTopicSettings', 'ApplyTopicSettings']],
  },
  {
    name: 'a drift is put back',
    kind: 'topic',
    before: drifted,
    begin: (on, topic) => on.send(topicReconcile, { topic }, { keep: 'ours' }),
    steps: ['PutBackSettings', 'ReconcileTopic'],
  },
  {
    name: 'a drift is taken over',
    kind: 'topic',
    before: drifted,
    begin: (on, topic) => on.send(topicReconcile, { topic }, { keep: 'theirs' }),
    steps: ['TakeOverSettings'],
  },
  {
    name: 'a topic is deleted',
    kind: 'topic',
    before: async (on, name) => {
      await on.completed(await on.make.topic(name));
      await on.letRead(name);
    },
    begin: (on, name) => on.remove.topic(name),
    steps: ['DeleteKafkaTopic', 'DeleteSubjects', 'DeleteTopic'],
    isDeletion: true,
  },
  {
    name: 'an account is made',
    kind: 'account',
    begin: (on, name) => on.make.account(name),
    steps: ['ApplyAccessRules', 'CreateClusterUser', 'WaitForCredentialsCreation', 'HandOverPassword', 'CreateAccount'],
    undone: [
      ['ApplyAccessRules', 'ApplyAccessRules'],
      ['CreateClusterUser', 'CreateClusterUser'],
      ['WaitForCredentialsCreation', 'ApplyAccessRules'],
      ['HandOverPassword', 'CreateClusterUser'],
    ],
    password: 'first',
  },
  {
    name: 'an account is changed',
    kind: 'account',
    before: made('account'),
    begin: (on, account) => on.send(accountUpdate, { account }, topicLists(['orders', 'moves'], [])),
    steps: ['ApplyAccessRules', 'UpdateAccount'],
    undone: [['ApplyAccessRules', 'ApplyAccessRules']],
  },
  {
    name: 'a password is rotated',
    kind: 'account',
    before: made('account'),
    begin: (on, account) => on.send(accountRotate, { account }, { overlapHours: 1 }),
    password: 'second',
    steps: ['ApplyAccessRules', 'CreateClusterUser', 'WaitForCredentialsCreation', 'HandOverPassword'],
    undone: [
      ['ApplyAccessRules', 'ApplyAccessRules'],
      ['CreateClusterUser', 'CreateClusterUser'],
      ['WaitForCredentialsCreation', 'ApplyAccessRules'],
    ],
  },
  {
    name: 'a password is replaced',
    kind: 'account',
    before: made('account'),
    begin: (on, account) => on.send(accountRotate, { account }, { overlapHours: 0 }),
    password: 'other',
    steps: ['CreateClusterUser', 'WaitForCredentialsCreation', 'HandOverPassword'],
  },
  {
    name: 'an account is deleted',
    kind: 'account',
    before: made('account'),
    begin: (on, name) => on.remove.account(name),
    steps: ['RemoveAccessRules', 'DeleteSecretGroup', 'RemoveClusterUsers', 'DeleteAccount'],
    undone: [['RemoveAccessRules', 'RemoveAccessRules']],
    isDeletion: true,
  },
  {
    name: 'a request is approved',
    kind: 'account',
    before: asking,
    begin: (on, name) => decide(on, topicGrantApprove, name, 'REQUESTED'),
    steps: ['ApplyAccessRules'],
    undone: [['ApplyAccessRules', 'ApplyAccessRules']],
  },
  {
    name: 'a grant is taken back',
    kind: 'account',
    before: async (on, name) => {
      await asking(on, name);
      await on.completed(await decide(on, topicGrantApprove, name, 'REQUESTED'));
    },
    begin: (on, name) => decide(on, topicGrantRevoke, name, 'APPROVED'),
    steps: ['ApplyAccessRules'],
    undone: [['ApplyAccessRules', 'ApplyAccessRules']],
  },
  {
    name: 'a stream is made',
    kind: 'topic',
    begin: (on, name) => on.send(streamCreate, {}, streamOf(name)),
    steps: [
      'ReserveNames',
      'ValidateSchema',
      'RegisterSchema',
      'WaitForSchemaCreation',
      'CheckTopic',
      'RegisterTopicSchemas',
      'CreateKafkaTopic',
      'WaitForTopicCreation',
      'ApplyAccessRules',
      'CreateClusterUser',
      'WaitForCredentialsCreation',
      'HandOverPassword',
      'CreateStream',
    ],
    undone: [
      ['ReserveNames', 'ReserveNames'],
      ['RegisterTopicSchemas', 'RegisterSchema'],
      ['WaitForTopicCreation', 'CreateKafkaTopic'],
      ['HandOverPassword', 'ApplyAccessRules'],
    ],
    isAllOrNothing: true,
    others: ['account', 'schema'],
  },
];
