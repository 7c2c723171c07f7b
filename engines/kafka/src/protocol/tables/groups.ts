/** Membership of consumer groups: the fields of requests and responses, from the message definitions of Apache Kafka (Apache License 2.0). See field.ts. */
import type { ApiTable } from '../field.ts';

export const groupsTables = {
  FindCoordinator: {
    key: 10,
    flexible: 3,
    request: [
      { name: 'key', type: 'string', to: 3 },
      { name: 'keyType', type: 'int8', from: 1, default: 0 },
      { name: 'coordinatorKeys', type: '[]string', from: 4 },
    ],
    response: [
      { name: 'throttleTimeMs', type: 'int32', from: 1, default: 0 },
      { name: 'errorCode', type: 'int16', to: 3 },
      { name: 'errorMessage', type: 'string', from: 1, to: 3, nullable: 1 },
      { name: 'nodeId', type: 'int32', to: 3 },
      { name: 'host', type: 'string', to: 3 },
      { name: 'port', type: 'int32', to: 3 },
      {
        name: 'coordinators',
        type: '[]struct',
        from: 4,
        fields: [
          { name: 'key', type: 'string', from: 4 },
          { name: 'nodeId', type: 'int32', from: 4 },
          { name: 'host', type: 'string', from: 4 },
          { name: 'port', type: 'int32', from: 4 },
          { name: 'errorCode', type: 'int16', from: 4 },
          { name: 'errorMessage', type: 'string', from: 4, nullable: 4 },
        ],
      },
    ],
  },
  JoinGroup: {
    key: 11,
    flexible: 6,
    request: [
      { name: 'groupId', type: 'string' },
      { name: 'sessionTimeoutMs', type: 'int32' },
      { name: 'rebalanceTimeoutMs', type: 'int32', from: 1, default: -1 },
      { name: 'memberId', type: 'string' },
      { name: 'groupInstanceId', type: 'string', from: 5, nullable: 5, default: null },
      { name: 'protocolType', type: 'string' },
      {
        name: 'protocols',
        type: '[]struct',
        fields: [
          { name: 'name', type: 'string' },
          { name: 'metadata', type: 'bytes' },
        ],
      },
      { name: 'reason', type: 'string', from: 8, nullable: 8, default: null },
    ],
    response: [
      { name: 'throttleTimeMs', type: 'int32', from: 2, default: 0 },
      { name: 'errorCode', type: 'int16' },
      { name: 'generationId', type: 'int32', default: -1 },
      { name: 'protocolType', type: 'string', from: 7, nullable: 7, default: null },
      { name: 'protocolName', type: 'string', nullable: 7 },
      { name: 'leader', type: 'string' },
      { name: 'skipAssignment', type: 'bool', from: 9, default: false },
      { name: 'memberId', type: 'string' },
      {
        name: 'members',
        type: '[]struct',
        fields: [
          { name: 'memberId', type: 'string' },
          { name: 'groupInstanceId', type: 'string', from: 5, nullable: 5, default: null },
          { name: 'metadata', type: 'bytes' },
        ],
      },
    ],
  },
  SyncGroup: {
    key: 14,
    flexible: 4,
    request: [
      { name: 'groupId', type: 'string' },
      { name: 'generationId', type: 'int32' },
      { name: 'memberId', type: 'string' },
      { name: 'groupInstanceId', type: 'string', from: 3, nullable: 3, default: null },
      { name: 'protocolType', type: 'string', from: 5, nullable: 5, default: null },
      { name: 'protocolName', type: 'string', from: 5, nullable: 5, default: null },
      {
        name: 'assignments',
        type: '[]struct',
        fields: [
          { name: 'memberId', type: 'string' },
          { name: 'assignment', type: 'bytes' },
        ],
      },
    ],
    response: [
      { name: 'throttleTimeMs', type: 'int32', from: 1, default: 0 },
      { name: 'errorCode', type: 'int16' },
      { name: 'protocolType', type: 'string', from: 5, nullable: 5, default: null },
      { name: 'protocolName', type: 'string', from: 5, nullable: 5, default: null },
      { name: 'assignment', type: 'bytes' },
    ],
  },
  Heartbeat: {
    key: 12,
    flexible: 4,
    request: [
      { name: 'groupId', type: 'string' },
      { name: 'generationId', type: 'int32' },
      { name: 'memberId', type: 'string' },
      { name: 'groupInstanceId', type: 'string', from: 3, nullable: 3, default: null },
    ],
    response: [
      { name: 'throttleTimeMs', type: 'int32', from: 1, default: 0 },
      { name: 'errorCode', type: 'int16' },
    ],
  },
  LeaveGroup: {
    key: 13,
    flexible: 4,
    request: [
      { name: 'groupId', type: 'string' },
      { name: 'memberId', type: 'string', to: 2 },
      {
        name: 'members',
        type: '[]struct',
        from: 3,
        fields: [
          { name: 'memberId', type: 'string', from: 3 },
          { name: 'groupInstanceId', type: 'string', from: 3, nullable: 3, default: null },
          { name: 'reason', type: 'string', from: 5, nullable: 5, default: null },
        ],
      },
    ],
    response: [
      { name: 'throttleTimeMs', type: 'int32', from: 1, default: 0 },
      { name: 'errorCode', type: 'int16' },
      {
        name: 'members',
        type: '[]struct',
        from: 3,
        fields: [
          { name: 'memberId', type: 'string', from: 3 },
          { name: 'groupInstanceId', type: 'string', from: 3, nullable: 3 },
          { name: 'errorCode', type: 'int16', from: 3 },
        ],
      },
    ],
  },
  DescribeGroups: {
    key: 15,
    flexible: 5,
    request: [
      { name: 'groups', type: '[]string' },
      { name: 'includeAuthorizedOperations', type: 'bool', from: 3 },
    ],
    response: [
      { name: 'throttleTimeMs', type: 'int32', from: 1, default: 0 },
      {
        name: 'groups',
        type: '[]struct',
        fields: [
          { name: 'errorCode', type: 'int16' },
          { name: 'groupId', type: 'string' },
          { name: 'groupState', type: 'string' },
          { name: 'protocolType', type: 'string' },
          { name: 'protocolData', type: 'string' },
          {
            name: 'members',
            type: '[]struct',
            fields: [
              { name: 'memberId', type: 'string' },
              { name: 'groupInstanceId', type: 'string', from: 4, nullable: 4, default: null },
              { name: 'clientId', type: 'string' },
              { name: 'clientHost', type: 'string' },
              { name: 'memberMetadata', type: 'bytes' },
              { name: 'memberAssignment', type: 'bytes' },
            ],
          },
          { name: 'authorizedOperations', type: 'int32', from: 3, default: -2147483648 },
        ],
      },
    ],
  },
  ListGroups: {
    key: 16,
    flexible: 3,
    request: [
      { name: 'statesFilter', type: '[]string', from: 4 },
      { name: 'typesFilter', type: '[]string', from: 5 },
    ],
    response: [
      { name: 'throttleTimeMs', type: 'int32', from: 1, default: 0 },
      { name: 'errorCode', type: 'int16' },
      {
        name: 'groups',
        type: '[]struct',
        fields: [
          { name: 'groupId', type: 'string' },
          { name: 'protocolType', type: 'string' },
          { name: 'groupState', type: 'string', from: 4 },
          { name: 'groupType', type: 'string', from: 5 },
        ],
      },
    ],
  },
  DeleteGroups: {
    key: 42,
    flexible: 2,
    request: [{ name: 'groupsNames', type: '[]string' }],
    response: [
      { name: 'throttleTimeMs', type: 'int32', default: 0 },
      {
        name: 'results',
        type: '[]struct',
        fields: [
          { name: 'groupId', type: 'string' },
          { name: 'errorCode', type: 'int16' },
        ],
      },
    ],
  },
} as const satisfies Record<string, ApiTable>;
