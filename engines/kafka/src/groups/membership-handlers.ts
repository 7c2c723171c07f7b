/** JoinGroup, SyncGroup, Heartbeat and LeaveGroup. Each needs READ on the group. */
import { operations, resourceTypes, type AnyHandler, type Authorizer, type Caller } from '../parts.ts';
import { errors } from '../protocol/errors.ts';
import { handler } from '../protocol/handler.ts';
import type { Coordinator } from './coordinator.ts';
import { joinRefusal, syncRefusal } from './member.ts';

/** Follows the rules for topic names, because it becomes part of member ids. */
const INSTANCE_ID = /^(?!\.{1,2}$)[a-zA-Z0-9._-]{1,249}$/;
const isInstanceId = (instanceId: string | null): boolean => instanceId === null || INSTANCE_ID.test(instanceId);
/** Since this version of SyncGroup, a member sends the protocol that it expects. */
const PROTOCOL_SINCE = 5;
/** Since this version, LeaveGroup has a list of members. */
const BATCHES_SINCE = 3;

export const membershipHandlers = (coordinator: Coordinator, authorizer: Authorizer): readonly AnyHandler[] => {
  const mayRead = (caller: Caller, groupId: string): boolean => authorizer.may(caller, operations.read, resourceTypes.group, groupId);
  return [
    handler({
      api: 'JoinGroup',
      versions: [0, 9],
      handle(request, caller) {
        if (!mayRead(caller, request.groupId)) return joinRefusal(request.memberId, errors.GROUP_AUTHORIZATION_FAILED);
        // Kafka gives no answer.
        if (!isInstanceId(request.groupInstanceId)) return joinRefusal(request.memberId, errors.INVALID_REQUEST);
        return coordinator.join(request, caller);
      },
    }),
    handler({
      api: 'SyncGroup',
      versions: [0, 5],
      handle(request, caller) {
        if (!mayRead(caller, request.groupId)) return syncRefusal(errors.GROUP_AUTHORIZATION_FAILED);
        const isMissing = request.protocolType === null || request.protocolName === null;
        if (caller.version >= PROTOCOL_SINCE && isMissing) return syncRefusal(errors.INCONSISTENT_GROUP_PROTOCOL);
        return coordinator.sync(request);
      },
    }),
    handler({
      api: 'Heartbeat',
      versions: [0, 4],
      handle(request, caller) {
        const errorCode = mayRead(caller, request.groupId) ? coordinator.heartbeat(request) : errors.GROUP_AUTHORIZATION_FAILED;
        return { throttleTimeMs: 0, errorCode };
      },
    }),
    handler({
      api: 'LeaveGroup',
      versions: [0, 5],
      handle({ groupId, memberId, members }, caller) {
        const refuse = (errorCode: number) => ({ throttleTimeMs: 0, errorCode, members: [] });
        if (!mayRead(caller, groupId)) return refuse(errors.GROUP_AUTHORIZATION_FAILED);
        if (groupId === '') return refuse(errors.INVALID_GROUP_ID);
        if (caller.version >= BATCHES_SINCE)
          return { throttleTimeMs: 0, errorCode: errors.NONE, members: coordinator.leave(groupId, members) };
        const [left] = coordinator.leave(groupId, [{ memberId, groupInstanceId: null, reason: null }]);
        return refuse(left?.errorCode ?? errors.NONE);
      },
    }),
  ];
};
