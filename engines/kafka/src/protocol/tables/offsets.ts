/** Committed offsets: the fields of requests and responses, from the message definitions of Apache Kafka (Apache License 2.0). See field.ts. */
import type { ApiTable } from '../field.ts';

export const offsetsTables = {
  OffsetCommit: {
    key: 8,
    flexible: 8,
    request: [
      { name: 'groupId', type: 'string' },
      { name: 'generationIdOrMemberEpoch', type: 'int32', from: 1, default: -1 },
      { name: 'memberId', type: 'string', from: 1 },
      { name: 'groupInstanceId', type: 'string', from: 7, nullable: 7, default: null },
      { name: 'retentionTimeMs', type: 'int64', from: 2, to: 4, default: -1 },
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
              { name: 'committedOffset', type: 'int64' },
              { name: 'committedLeaderEpoch', type: 'int32', from: 6, default: -1 },
              { name: 'commitTimestamp', type: 'int64', from: 1, to: 1, default: -1 },
              { name: 'committedMetadata', type: 'string', nullable: 0 },
            ],
          },
        ],
      },
    ],
    response: [
      { name: 'throttleTimeMs', type: 'int32', from: 3, default: 0 },
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
            ],
          },
        ],
      },
    ],
  },
  OffsetFetch: {
    key: 9,
    flexible: 6,
    request: [
      { name: 'groupId', type: 'string', to: 7 },
      {
        name: 'topics',
        type: '[]struct',
        to: 7,
        nullable: 2,
        fields: [
          { name: 'name', type: 'string', to: 7 },
          { name: 'partitionIndexes', type: '[]int32', to: 7 },
        ],
      },
      {
        name: 'groups',
        type: '[]struct',
        from: 8,
        fields: [
          { name: 'groupId', type: 'string', from: 8 },
          { name: 'memberId', type: 'string', from: 9, nullable: 9, default: null },
          { name: 'memberEpoch', type: 'int32', from: 9, default: -1 },
          {
            name: 'topics',
            type: '[]struct',
            from: 8,
            nullable: 8,
            fields: [
              { name: 'name', type: 'string', from: 8 },
              { name: 'partitionIndexes', type: '[]int32', from: 8 },
            ],
          },
        ],
      },
      { name: 'requireStable', type: 'bool', from: 7, default: false },
    ],
    response: [
      { name: 'throttleTimeMs', type: 'int32', from: 3, default: 0 },
      {
        name: 'topics',
        type: '[]struct',
        to: 7,
        fields: [
          { name: 'name', type: 'string', to: 7 },
          {
            name: 'partitions',
            type: '[]struct',
            to: 7,
            fields: [
              { name: 'partitionIndex', type: 'int32', to: 7 },
              { name: 'committedOffset', type: 'int64', to: 7 },
              { name: 'committedLeaderEpoch', type: 'int32', from: 5, to: 7, default: -1 },
              { name: 'metadata', type: 'string', to: 7, nullable: 0 },
              { name: 'errorCode', type: 'int16', to: 7 },
            ],
          },
        ],
      },
      { name: 'errorCode', type: 'int16', from: 2, to: 7, default: 0 },
      {
        name: 'groups',
        type: '[]struct',
        from: 8,
        fields: [
          { name: 'groupId', type: 'string', from: 8 },
          {
            name: 'topics',
            type: '[]struct',
            from: 8,
            fields: [
              { name: 'name', type: 'string', from: 8 },
              {
                name: 'partitions',
                type: '[]struct',
                from: 8,
                fields: [
                  { name: 'partitionIndex', type: 'int32', from: 8 },
                  { name: 'committedOffset', type: 'int64', from: 8 },
                  { name: 'committedLeaderEpoch', type: 'int32', from: 8, default: -1 },
                  { name: 'metadata', type: 'string', from: 8, nullable: 8 },
                  { name: 'errorCode', type: 'int16', from: 8 },
                ],
              },
            ],
          },
          { name: 'errorCode', type: 'int16', from: 8, default: 0 },
        ],
      },
    ],
  },
  OffsetDelete: {
    key: 47,
    flexible: Infinity,
    request: [
      { name: 'groupId', type: 'string' },
      {
        name: 'topics',
        type: '[]struct',
        fields: [
          { name: 'name', type: 'string' },
          { name: 'partitions', type: '[]struct', fields: [{ name: 'partitionIndex', type: 'int32' }] },
        ],
      },
    ],
    response: [
      { name: 'errorCode', type: 'int16' },
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
              { name: 'errorCode', type: 'int16' },
            ],
          },
        ],
      },
    ],
  },
} as const satisfies Record<string, ApiTable>;
