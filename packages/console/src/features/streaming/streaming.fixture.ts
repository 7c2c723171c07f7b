/** A topic, a schema, a reader and a message as the server returns them, for tests. */
import type { TopicMessage } from '@slipway/contract/streaming/message.ts';
import type { TopicReader } from '@slipway/contract/streaming/topic-status.ts';
import type { Schema } from '@slipway/contract/streaming/schema.ts';
import type { Topic } from '@slipway/contract/streaming/topic.ts';

const person = { id: 'ingrid', displayName: 'Ingrid Solheim' };
const at = '2026-11-20T12:00:00.000Z';

export const topicOf = (change: Partial<Topic> = {}): Topic => ({
  id: 'top_1',
  name: 'berthevents',
  description: 'A berth is planned or taken',
  applicationCode: 'berth',
  teamId: 'cranes',
  tags: [],
  environmentClass: 'development',
  topicName: 'berth.berthevents',
  spec: {
    dataSecurityClassification: 'INTERNAL',
    isSharable: true,
    partitionNumber: 3,
    retentionHours: 24,
    replicationFactor: 3,
    segmentBytes: 1_073_741_824,
    cleanupPolicy: 'DELETE',
    keySchema: null,
    valueSchema: { resourceId: 'sch_1', resourceType: 'SCHEMA', applicationCode: 'berth', name: 'berthevent', type: 'AVRO', revisionId: 1 },
  },
  state: 'ACTIVE',
  pipelineId: 'pl_1',
  observed: { at, sizeBytes: 720, messages: 6, messagesPerSecond: 42, rates: [null, 40, 42], replication: 1, readers: 0, slowest: null },
  externalLink: null,
  drift: { count: 0, at },
  draft: null,
  createdAt: at,
  createdBy: person,
  updatedAt: at,
  updatedBy: person,
  can: { update: true, delete: true, readMessages: true, produce: true, reconcile: true },
  ...change,
});

export const schemaOf = (change: Partial<Schema> = {}): Schema => ({
  id: 'sch_1',
  name: 'berthevent',
  type: 'AVRO',
  content: '"string"',
  revisionId: 1,
  compatibility: 'BACKWARD',
  references: [],
  applicationCode: 'berth',
  environmentClass: 'development',
  subject: 'berth.berthevent',
  registryId: 1,
  externalLink: null,
  state: 'ACTIVE',
  usedBy: [],
  referencedBy: [],
  pipelineId: 'pl_1',
  drift: null,
  draft: null,
  createdAt: at,
  createdBy: person,
  updatedAt: at,
  updatedBy: person,
  can: { update: true, delete: true, reconcile: true },
  ...change,
});

export const readerOf = (change: Partial<TopicReader> = {}): TopicReader => ({
  group: 'tracker.moves.main',
  applicationCode: 'tracker',
  account: 'moves',
  state: 'Stable',
  members: 1,
  lagMessages: 0,
  lagMs: 0,
  lagOfRetention: 0,
  lastCommitAt: null,
  partitions: [],
  ...change,
});

const part = { masked: [], schema: null, hex: null, sizeBytes: 3, reason: null };
export const messageOf = (value: unknown, change: Partial<TopicMessage> = {}): TopicMessage => ({
  partition: 1,
  offset: '4',
  at,
  key: { ...part, state: 'TEXT', value: '8841' },
  value: { ...part, state: 'DECODED', value },
  headers: [],
  isTest: false,
  ...change,
});
