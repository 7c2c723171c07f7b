/** Shared dependencies of the handlers for messages and topics. */
import type { Authorizer, Caller, Operation, PartContext } from '../parts.ts';
import { CLUSTER, operations, resourceTypes } from '../parts.ts';
import type { Turns } from '../log/records/turns.ts';
import type { Topics } from '../topics/topics.ts';
import type { DiskRoom } from './disk-room.ts';
import type { ProducerIds } from './producer-ids.ts';

export interface HandlerContext extends Pick<PartContext, 'advertised' | 'clusterId' | 'now' | 'log'> {
  readonly topics: Topics;
  readonly authorizer: Authorizer;
  readonly room: DiskRoom;
  readonly producerIds: ProducerIds;
  readonly turns: Turns;
}

type Who = Pick<Caller, 'principal' | 'host'>;
export const mayTopic = ({ authorizer }: HandlerContext, who: Who, operation: Operation, topic: string): boolean =>
  authorizer.may(who, operation, resourceTypes.topic, topic);
export const mayCluster = ({ authorizer }: HandlerContext, who: Who, operation: Operation): boolean =>
  authorizer.may(who, operation, resourceTypes.cluster, CLUSTER);

const topicOperations: readonly Operation[] = [
  operations.read,
  operations.write,
  operations.create,
  operations.delete,
  operations.alter,
  operations.describe,
  operations.describeConfigs,
  operations.alterConfigs,
];
const clusterOperations: readonly Operation[] = [
  operations.create,
  operations.alter,
  operations.describe,
  operations.clusterAction,
  operations.describeConfigs,
  operations.alterConfigs,
  operations.idempotentWrite,
];
/** Encodes operations as a bit mask. Bit 31 is the sign. */
const bitsOf = (allowed: readonly Operation[]): number => allowed.reduce((bits, operation) => bits | (1 << operation), 0);
export const topicBits = (context: HandlerContext, who: Who, topic: string): number =>
  bitsOf(topicOperations.filter((operation) => mayTopic(context, who, operation, topic)));
export const clusterBits = (context: HandlerContext, who: Who): number =>
  bitsOf(clusterOperations.filter((operation) => mayCluster(context, who, operation)));
