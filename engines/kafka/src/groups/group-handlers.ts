/** FindCoordinator, DescribeGroups, ListGroups and DeleteGroups. */
import {
  CLUSTER,
  NODE_ID,
  operations,
  resourceTypes,
  type AnyHandler,
  type Authorizer,
  type Caller,
  type Operation,
  type PartContext,
} from '../parts.ts';
import type { Response } from '../protocol/apis.ts';
import { errors } from '../protocol/errors.ts';
import { handler } from '../protocol/handler.ts';
import type { Committing } from './committing.ts';
import type { Coordinator } from './coordinator.ts';
import type { Group } from './group.ts';
import { NO_BYTES } from './member.ts';

export interface GroupHandlerParts {
  readonly coordinator: Coordinator;
  readonly committing: Committing;
  readonly authorizer: Authorizer;
  readonly advertised: PartContext['advertised'];
}
type Described = Response<'DescribeGroups'>['groups'][number];
interface Fault {
  readonly errorCode: number;
  readonly errorMessage: string | null;
}

/** Key types of FindCoordinator. */
const keyTypes = { group: 0, transaction: 1 };
const KEYS_SINCE = 4;
const NOWHERE = { nodeId: -1, host: '', port: -1 };
/** Operations on groups. Rights are reported as a bit per operation. */
const groupOperations: readonly Operation[] = [
  operations.read,
  operations.delete,
  operations.describe,
  operations.describeConfigs,
  operations.alterConfigs,
];
const NOT_ASKED = -2_147_483_648;

const NO_TRANSACTIONS =
  'This development broker has no transactions. Leave out transactional.id; in Kafka Streams, set processing.guarantee=at_least_once.';

/**
 * FindCoordinator is the first request of a transactional producer, and the only one whose answer has an error message. Java shows the
 * message with every code except authorization failures. librdkafka shows it only with that code, and retries for minutes after others.
 * Java uses versions that librdkafka does not have.
 */
const transactionFault = ({ version }: Caller): Fault => ({
  errorCode: version < KEYS_SINCE ? errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED : errors.UNSUPPORTED_VERSION,
  errorMessage: NO_TRANSACTIONS,
});

const coordinatorFault = (authorizer: Authorizer, caller: Caller, keyType: number, key: string): Fault => {
  if (keyType === keyTypes.transaction) return transactionFault(caller);
  // Kafka would answer that the coordinator is not available, and clients would retry forever.
  if (keyType !== keyTypes.group) return { errorCode: errors.INVALID_REQUEST, errorMessage: 'This broker has no share groups.' };
  if (authorizer.may(caller, operations.describe, resourceTypes.group, key)) return { errorCode: errors.NONE, errorMessage: null };
  return { errorCode: errors.GROUP_AUTHORIZATION_FAILED, errorMessage: 'Group authorization failed.' };
};

const clientHost = (host: string): string => `/${host}`;

const describe = (group: Group | undefined, groupId: string): Omit<Described, 'authorizedOperations'> => {
  const none = { errorCode: errors.NONE, groupId, protocolType: '', protocolData: '', members: [] };
  if (group === undefined) return { ...none, groupState: 'Dead' };
  const isStable = group.state === 'Stable';
  return {
    ...none,
    groupState: group.state,
    protocolType: group.protocolType ?? '',
    protocolData: isStable ? (group.protocolName ?? '') : '',
    members: [...group.members.values()].map((member) => ({
      memberId: member.id,
      groupInstanceId: member.facts.instanceId,
      clientId: member.facts.clientId,
      clientHost: clientHost(member.facts.clientHost),
      memberMetadata: isStable ? member.metadata(group.protocolName) : NO_BYTES,
      memberAssignment: isStable ? member.assignment : NO_BYTES,
    })),
  };
};

const findCoordinator = ({ authorizer, advertised }: GroupHandlerParts) =>
  handler({
    api: 'FindCoordinator',
    versions: [0, 4],
    handle({ key, keyType, coordinatorKeys }, caller) {
      const find = (asked: string) => {
        const fault = coordinatorFault(authorizer, caller, keyType, asked);
        const place = fault.errorCode === errors.NONE ? { nodeId: NODE_ID, ...advertised } : NOWHERE;
        return { key: asked, ...place, ...fault };
      };
      if (caller.version < KEYS_SINCE) return { throttleTimeMs: 0, ...find(key), coordinators: [] };
      return { throttleTimeMs: 0, ...NOWHERE, errorCode: errors.NONE, errorMessage: null, coordinators: coordinatorKeys.map(find) };
    },
  });

const describeGroups = ({ authorizer, coordinator }: GroupHandlerParts) =>
  handler({
    api: 'DescribeGroups',
    versions: [0, 5],
    handle({ groups, includeAuthorizedOperations }, caller) {
      const may = (operation: Operation, group: string) => authorizer.may(caller, operation, resourceTypes.group, group);
      const described = groups.map((groupId): Described => {
        if (!may(operations.describe, groupId)) {
          return { ...describe(undefined, groupId), groupState: '', errorCode: errors.GROUP_AUTHORIZATION_FAILED };
        }
        const allowed = groupOperations.filter((operation) => may(operation, groupId));
        const authorizedOperations = includeAuthorizedOperations
          ? allowed.reduce((bits, operation) => bits | (1 << operation), 0)
          : NOT_ASKED;
        return { ...describe(coordinator.find(groupId), groupId), authorizedOperations };
      });
      return { throttleTimeMs: 0, groups: described };
    },
  });

const listGroups = ({ authorizer, coordinator }: GroupHandlerParts) =>
  handler({
    api: 'ListGroups',
    versions: [0, 5],
    handle({ statesFilter, typesFilter }, caller) {
      const maySeeAll = authorizer.may(caller, operations.describe, resourceTypes.cluster, CLUSTER);
      const isWanted = (wanted: readonly string[], value: string): boolean =>
        wanted.length === 0 || wanted.some((one) => one.trim().toLowerCase() === value.toLowerCase());
      const listed = [...coordinator.list()].filter(
        ({ id, state }) =>
          isWanted(statesFilter, state) &&
          isWanted(typesFilter, 'classic') &&
          (maySeeAll || authorizer.may(caller, operations.describe, resourceTypes.group, id)),
      );
      const groups = listed.map(({ id, protocolType, state }) => ({
        groupId: id,
        protocolType: protocolType ?? '',
        groupState: state,
        groupType: 'classic',
      }));
      return { throttleTimeMs: 0, errorCode: errors.NONE, groups };
    },
  });

const deleteGroups = ({ authorizer, committing }: GroupHandlerParts) =>
  handler({
    api: 'DeleteGroups',
    versions: [0, 2],
    async handle({ groupsNames }, caller) {
      const results = [];
      for (const groupId of new Set(groupsNames)) {
        const mayDelete = authorizer.may(caller, operations.delete, resourceTypes.group, groupId);
        results.push({ groupId, errorCode: mayDelete ? await committing.deleteGroup(groupId) : errors.GROUP_AUTHORIZATION_FAILED });
      }
      return { throttleTimeMs: 0, results };
    },
  });

export const groupHandlers = (parts: GroupHandlerParts): readonly AnyHandler[] => [
  findCoordinator(parts),
  describeGroups(parts),
  listGroups(parts),
  deleteGroups(parts),
];
