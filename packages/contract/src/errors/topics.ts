/** Event streaming: schemas and topics (specification §5, then our own). */
import type { ErrorEntry } from './error-entry.ts';

export const topicsErrors = {
  LowercaseLetters: { status: 400, message: '{label} can only contain lowercase letters' },
  SchemaNameRequired: { status: 400, message: 'Please provide a schema name' },
  SchemaTypeRequired: { status: 400, message: 'Please select a schema type' },
  SchemaContentRequired: { status: 400, message: 'Please provide a schema content' },
  ContentNotJson: { status: 400, message: 'Content must be valid JSON' },
  SchemaInvalid: { status: 400, message: 'Line {line}: {reason}' },
  SchemaReferenceDoesNotExist: {
    status: 400,
    message: 'There is no schema {schema} in this app and environment, or it has no such version',
  },
  SchemaDoesNotExist: { status: 404, message: 'Schema does not exist' },
  SchemaVersionDoesNotExist: { status: 404, message: 'The schema has no such version' },
  SchemaChangedMeanwhile: {
    status: 409,
    message: 'Somebody saved version {version} meanwhile. Look at what is different now, then save again.',
  },
  SchemaIncompatible: { status: 409, message: 'Line {line}: {reason} ({subject}, level {level})' },
  SchemaVersionExists: {
    status: 409,
    message: 'Version {version} has this content already, and a registry keeps a content once. Change something: a comment is enough.',
  },
  SchemaNotCreated: { status: 409, message: 'The schema is not registered. Re-run its pipeline, or discard it.' },
  SchemaIsReferencedBySchemas: { status: 409, message: 'Other schemas refer to this one' },
  StreamingPipelineRunning: { status: 409, message: 'A pipeline is changing it. Try again when that is through.' },
  TopicDoesNotExist: { status: 404, message: 'Topic does not exist' },
  TopicNotCreated: { status: 409, message: 'The topic is not there as a whole. Re-run its pipeline, or discard it.' },
  TopicNotOnCluster: { status: 409, message: 'The cluster has no topic {topic} any more. Compare its settings, and put it back.' },
  CompactNeedsKeySchema: { status: 400, message: 'Compaction keeps the newest message of each key, so the topic needs a key schema' },
  PartitionsCannotBeDecreased: { status: 400, message: 'Partitions cannot be taken away. The topic has {min}.' },
  TopicBelongsToOthers: {
    status: 409,
    message: 'The cluster has a topic {topic} that the platform did not make. Choose another name, or ask your operators to remove it.',
  },
  SubjectBelongsToOthers: {
    status: 409,
    message:
      'The registry has a subject {subject} that the platform did not make. Choose another name, or ask your operators to remove it.',
  },
  TopicHasReaders: { status: 409, message: 'Still in use: {readers}. Name everybody who may be cut off.' },
  NothingToReconcile: { status: 409, message: 'Nothing is different, or nothing of it can be settled this way' },
  MessageDoesNotExist: { status: 404, message: 'The topic keeps no message at this offset' },
  MessageCannotBeShown: { status: 409, message: '{reason}' },
  MessageInvalid: { status: 400, message: '{path} {reason}' },
  ProductionChangedMeanwhile: {
    status: 409,
    message: 'Production has changed since this was compared. Look at what differs now, then promote again',
  },
  PromotionFromDevelopment: { status: 409, message: 'Promotion goes from development to production' },
  DevelopmentOnly: { status: 409, message: 'Test messages can be produced in development only' },
  PartitionDoesNotExist: { status: 400, message: 'The topic has no such partition' },
} as const satisfies Record<string, ErrorEntry>;
