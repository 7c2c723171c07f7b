/** Reading and writing of messages: the fields of requests and responses, from the message definitions of Apache Kafka (Apache License 2.0). See field.ts. */
import type { ApiTable } from '../field.ts';

export const messagesTables = {
  Produce: {
    key: 0,
    flexible: 9,
    request: [
      { name: 'transactionalId', type: 'string', from: 3, nullable: 3, default: null },
      { name: 'acks', type: 'int16' },
      { name: 'timeoutMs', type: 'int32' },
      {
        name: 'topicData',
        type: '[]struct',
        fields: [
          { name: 'name', type: 'string' },
          {
            name: 'partitionData',
            type: '[]struct',
            fields: [
              { name: 'index', type: 'int32' },
              { name: 'records', type: 'records', nullable: 0 },
            ],
          },
        ],
      },
    ],
    response: [
      {
        name: 'responses',
        type: '[]struct',
        fields: [
          { name: 'name', type: 'string' },
          {
            name: 'partitionResponses',
            type: '[]struct',
            fields: [
              { name: 'index', type: 'int32' },
              { name: 'errorCode', type: 'int16' },
              { name: 'baseOffset', type: 'int64' },
              { name: 'logAppendTimeMs', type: 'int64', from: 2, default: -1 },
              { name: 'logStartOffset', type: 'int64', from: 5, default: -1 },
              {
                name: 'recordErrors',
                type: '[]struct',
                from: 8,
                fields: [
                  { name: 'batchIndex', type: 'int32', from: 8 },
                  { name: 'batchIndexErrorMessage', type: 'string', from: 8, nullable: 8, default: null },
                ],
              },
              { name: 'errorMessage', type: 'string', from: 8, nullable: 8, default: null },
              {
                name: 'currentLeader',
                type: 'struct',
                from: 10,
                tag: 0,
                fields: [
                  { name: 'leaderId', type: 'int32', from: 10, default: -1 },
                  { name: 'leaderEpoch', type: 'int32', from: 10, default: -1 },
                ],
              },
            ],
          },
        ],
      },
      { name: 'throttleTimeMs', type: 'int32', from: 1, default: 0 },
      {
        name: 'nodeEndpoints',
        type: '[]struct',
        from: 10,
        tag: 0,
        fields: [
          { name: 'nodeId', type: 'int32', from: 10 },
          { name: 'host', type: 'string', from: 10 },
          { name: 'port', type: 'int32', from: 10 },
          { name: 'rack', type: 'string', from: 10, nullable: 10, default: null },
        ],
      },
    ],
  },
  Fetch: {
    key: 1,
    flexible: 12,
    request: [
      { name: 'clusterId', type: 'string', from: 12, nullable: 12, tag: 0, default: null },
      { name: 'replicaId', type: 'int32', to: 14, default: -1 },
      {
        name: 'replicaState',
        type: 'struct',
        from: 15,
        tag: 1,
        fields: [
          { name: 'replicaId', type: 'int32', from: 15, default: -1 },
          { name: 'replicaEpoch', type: 'int64', from: 15, default: -1 },
        ],
      },
      { name: 'maxWaitMs', type: 'int32' },
      { name: 'minBytes', type: 'int32' },
      { name: 'maxBytes', type: 'int32', from: 3, default: 2147483647 },
      { name: 'isolationLevel', type: 'int8', from: 4, default: 0 },
      { name: 'sessionId', type: 'int32', from: 7, default: 0 },
      { name: 'sessionEpoch', type: 'int32', from: 7, default: -1 },
      {
        name: 'topics',
        type: '[]struct',
        fields: [
          { name: 'topic', type: 'string', to: 12 },
          { name: 'topicId', type: 'uuid', from: 13 },
          {
            name: 'partitions',
            type: '[]struct',
            fields: [
              { name: 'partition', type: 'int32' },
              { name: 'currentLeaderEpoch', type: 'int32', from: 9, default: -1 },
              { name: 'fetchOffset', type: 'int64' },
              { name: 'lastFetchedEpoch', type: 'int32', from: 12, default: -1 },
              { name: 'logStartOffset', type: 'int64', from: 5, default: -1 },
              { name: 'partitionMaxBytes', type: 'int32' },
              { name: 'replicaDirectoryId', type: 'uuid', from: 17, tag: 0 },
            ],
          },
        ],
      },
      {
        name: 'forgottenTopicsData',
        type: '[]struct',
        from: 7,
        fields: [
          { name: 'topic', type: 'string', from: 7, to: 12 },
          { name: 'topicId', type: 'uuid', from: 13 },
          { name: 'partitions', type: '[]int32', from: 7 },
        ],
      },
      { name: 'rackId', type: 'string', from: 11, default: '' },
    ],
    response: [
      { name: 'throttleTimeMs', type: 'int32', from: 1, default: 0 },
      { name: 'errorCode', type: 'int16', from: 7 },
      { name: 'sessionId', type: 'int32', from: 7, default: 0 },
      {
        name: 'responses',
        type: '[]struct',
        fields: [
          { name: 'topic', type: 'string', to: 12 },
          { name: 'topicId', type: 'uuid', from: 13 },
          {
            name: 'partitions',
            type: '[]struct',
            fields: [
              { name: 'partitionIndex', type: 'int32' },
              { name: 'errorCode', type: 'int16' },
              { name: 'highWatermark', type: 'int64' },
              { name: 'lastStableOffset', type: 'int64', from: 4, default: -1 },
              { name: 'logStartOffset', type: 'int64', from: 5, default: -1 },
              {
                name: 'divergingEpoch',
                type: 'struct',
                from: 12,
                tag: 0,
                fields: [
                  { name: 'epoch', type: 'int32', from: 12, default: -1 },
                  { name: 'endOffset', type: 'int64', from: 12, default: -1 },
                ],
              },
              {
                name: 'currentLeader',
                type: 'struct',
                from: 12,
                tag: 1,
                fields: [
                  { name: 'leaderId', type: 'int32', from: 12, default: -1 },
                  { name: 'leaderEpoch', type: 'int32', from: 12, default: -1 },
                ],
              },
              {
                name: 'snapshotId',
                type: 'struct',
                from: 12,
                tag: 2,
                fields: [
                  { name: 'endOffset', type: 'int64', default: -1 },
                  { name: 'epoch', type: 'int32', default: -1 },
                ],
              },
              {
                name: 'abortedTransactions',
                type: '[]struct',
                from: 4,
                nullable: 4,
                fields: [
                  { name: 'producerId', type: 'int64', from: 4 },
                  { name: 'firstOffset', type: 'int64', from: 4 },
                ],
              },
              { name: 'preferredReadReplica', type: 'int32', from: 11, default: -1 },
              { name: 'records', type: 'records', nullable: 0 },
            ],
          },
        ],
      },
      {
        name: 'nodeEndpoints',
        type: '[]struct',
        from: 16,
        tag: 0,
        fields: [
          { name: 'nodeId', type: 'int32', from: 16 },
          { name: 'host', type: 'string', from: 16 },
          { name: 'port', type: 'int32', from: 16 },
          { name: 'rack', type: 'string', from: 16, nullable: 16, default: null },
        ],
      },
    ],
  },
  ListOffsets: {
    key: 2,
    flexible: 6,
    request: [
      { name: 'replicaId', type: 'int32' },
      { name: 'isolationLevel', type: 'int8', from: 2 },
      {
        name: 'topics',
        type: '[]struct',
        fields: [
          { name: 'name', type: 'string' },
          {
            name: 'partitions',
            type: '[]struct',
            fields: [
              { name: 'partitionIndex', type: 'int32' },
              { name: 'currentLeaderEpoch', type: 'int32', from: 4, default: -1 },
              { name: 'timestamp', type: 'int64' },
              { name: 'maxNumOffsets', type: 'int32', to: 0, default: 1 },
            ],
          },
        ],
      },
      { name: 'timeoutMs', type: 'int32', from: 10 },
    ],
    response: [
      { name: 'throttleTimeMs', type: 'int32', from: 2, default: 0 },
      {
        name: 'topics',
        type: '[]struct',
        fields: [
          { name: 'name', type: 'string' },
          {
            name: 'partitions',
            type: '[]struct',
            fields: [
              { name: 'partitionIndex', type: 'int32' },
              { name: 'errorCode', type: 'int16' },
              { name: 'oldStyleOffsets', type: '[]int64', to: 0 },
              { name: 'timestamp', type: 'int64', from: 1, default: -1 },
              { name: 'offset', type: 'int64', from: 1, default: -1 },
              { name: 'leaderEpoch', type: 'int32', from: 4, default: -1 },
            ],
          },
        ],
      },
    ],
  },
  OffsetForLeaderEpoch: {
    key: 23,
    flexible: 4,
    request: [
      { name: 'replicaId', type: 'int32', from: 3, default: -2 },
      {
        name: 'topics',
        type: '[]struct',
        fields: [
          { name: 'topic', type: 'string' },
          {
            name: 'partitions',
            type: '[]struct',
            fields: [
              { name: 'partition', type: 'int32' },
              { name: 'currentLeaderEpoch', type: 'int32', from: 2, default: -1 },
              { name: 'leaderEpoch', type: 'int32' },
            ],
          },
        ],
      },
    ],
    response: [
      { name: 'throttleTimeMs', type: 'int32', from: 2, default: 0 },
      {
        name: 'topics',
        type: '[]struct',
        fields: [
          { name: 'topic', type: 'string' },
          {
            name: 'partitions',
            type: '[]struct',
            fields: [
              { name: 'errorCode', type: 'int16' },
              { name: 'partition', type: 'int32' },
              { name: 'leaderEpoch', type: 'int32', from: 1, default: -1 },
              { name: 'endOffset', type: 'int64', default: -1 },
            ],
          },
        ],
      },
    ],
  },
  DeleteRecords: {
    key: 21,
    flexible: 2,
    request: [
      {
        name: 'topics',
        type: '[]struct',
        fields: [
          { name: 'name', type: 'string' },
          {
            name: 'partitions',
            type: '[]struct',
            fields: [
              { name: 'partitionIndex', type: 'int32' },
              { name: 'offset', type: 'int64' },
            ],
          },
        ],
      },
      { name: 'timeoutMs', type: 'int32' },
    ],
    response: [
      { name: 'throttleTimeMs', type: 'int32', default: 0 },
      {
        name: 'topics',
        type: '[]struct',
        fields: [
          { name: 'name', type: 'string' },
          {
            name: 'partitions',
            type: '[]struct',
            fields: [
              { name: 'partitionIndex', type: 'int32' },
              { name: 'lowWatermark', type: 'int64' },
              { name: 'errorCode', type: 'int16' },
            ],
          },
        ],
      },
    ],
  },
  InitProducerId: {
    key: 22,
    flexible: 2,
    request: [
      { name: 'transactionalId', type: 'string', nullable: 0 },
      { name: 'transactionTimeoutMs', type: 'int32' },
      { name: 'producerId', type: 'int64', from: 3, default: -1 },
      { name: 'producerEpoch', type: 'int16', from: 3, default: -1 },
    ],
    response: [
      { name: 'throttleTimeMs', type: 'int32', default: 0 },
      { name: 'errorCode', type: 'int16' },
      { name: 'producerId', type: 'int64', default: -1 },
      { name: 'producerEpoch', type: 'int16' },
    ],
  },
} as const satisfies Record<string, ApiTable>;
