/** Topics and their settings: the fields of requests and responses, from the message definitions of Apache Kafka (Apache License 2.0). See field.ts. */
import type { ApiTable } from '../field.ts';

export const topicsTables = {
  Metadata: {
    key: 3,
    flexible: 9,
    request: [
      {
        name: 'topics',
        type: '[]struct',
        nullable: 1,
        fields: [
          { name: 'topicId', type: 'uuid', from: 10 },
          { name: 'name', type: 'string', nullable: 10 },
        ],
      },
      { name: 'allowAutoTopicCreation', type: 'bool', from: 4, default: true },
      { name: 'includeClusterAuthorizedOperations', type: 'bool', from: 8, to: 10 },
      { name: 'includeTopicAuthorizedOperations', type: 'bool', from: 8 },
    ],
    response: [
      { name: 'throttleTimeMs', type: 'int32', from: 3, default: 0 },
      {
        name: 'brokers',
        type: '[]struct',
        fields: [
          { name: 'nodeId', type: 'int32' },
          { name: 'host', type: 'string' },
          { name: 'port', type: 'int32' },
          { name: 'rack', type: 'string', from: 1, nullable: 1, default: null },
        ],
      },
      { name: 'clusterId', type: 'string', from: 2, nullable: 2, default: null },
      { name: 'controllerId', type: 'int32', from: 1, default: -1 },
      {
        name: 'topics',
        type: '[]struct',
        fields: [
          { name: 'errorCode', type: 'int16' },
          { name: 'name', type: 'string', nullable: 12 },
          { name: 'topicId', type: 'uuid', from: 10 },
          { name: 'isInternal', type: 'bool', from: 1, default: false },
          {
            name: 'partitions',
            type: '[]struct',
            fields: [
              { name: 'errorCode', type: 'int16' },
              { name: 'partitionIndex', type: 'int32' },
              { name: 'leaderId', type: 'int32' },
              { name: 'leaderEpoch', type: 'int32', from: 7, default: -1 },
              { name: 'replicaNodes', type: '[]int32' },
              { name: 'isrNodes', type: '[]int32' },
              { name: 'offlineReplicas', type: '[]int32', from: 5 },
            ],
          },
          { name: 'topicAuthorizedOperations', type: 'int32', from: 8, default: -2147483648 },
        ],
      },
      { name: 'clusterAuthorizedOperations', type: 'int32', from: 8, to: 10, default: -2147483648 },
    ],
  },
  CreateTopics: {
    key: 19,
    flexible: 5,
    request: [
      {
        name: 'topics',
        type: '[]struct',
        fields: [
          { name: 'name', type: 'string' },
          { name: 'numPartitions', type: 'int32' },
          { name: 'replicationFactor', type: 'int16' },
          {
            name: 'assignments',
            type: '[]struct',
            fields: [
              { name: 'partitionIndex', type: 'int32' },
              { name: 'brokerIds', type: '[]int32' },
            ],
          },
          {
            name: 'configs',
            type: '[]struct',
            fields: [
              { name: 'name', type: 'string' },
              { name: 'value', type: 'string', nullable: 0 },
            ],
          },
        ],
      },
      { name: 'timeoutMs', type: 'int32', default: 60000 },
      { name: 'validateOnly', type: 'bool', from: 1, default: false },
    ],
    response: [
      { name: 'throttleTimeMs', type: 'int32', from: 2, default: 0 },
      {
        name: 'topics',
        type: '[]struct',
        fields: [
          { name: 'name', type: 'string' },
          { name: 'topicId', type: 'uuid', from: 7 },
          { name: 'errorCode', type: 'int16' },
          { name: 'errorMessage', type: 'string', from: 1, nullable: 0 },
          { name: 'topicConfigErrorCode', type: 'int16', from: 5, tag: 0 },
          { name: 'numPartitions', type: 'int32', from: 5, default: -1 },
          { name: 'replicationFactor', type: 'int16', from: 5, default: -1 },
          {
            name: 'configs',
            type: '[]struct',
            from: 5,
            nullable: 5,
            fields: [
              { name: 'name', type: 'string', from: 5 },
              { name: 'value', type: 'string', from: 5, nullable: 5 },
              { name: 'readOnly', type: 'bool', from: 5 },
              { name: 'configSource', type: 'int8', from: 5, default: -1 },
              { name: 'isSensitive', type: 'bool', from: 5 },
            ],
          },
        ],
      },
    ],
  },
  DeleteTopics: {
    key: 20,
    flexible: 4,
    request: [
      {
        name: 'topics',
        type: '[]struct',
        from: 6,
        fields: [
          { name: 'name', type: 'string', from: 6, nullable: 6, default: null },
          { name: 'topicId', type: 'uuid', from: 6 },
        ],
      },
      { name: 'topicNames', type: '[]string', to: 5 },
      { name: 'timeoutMs', type: 'int32' },
    ],
    response: [
      { name: 'throttleTimeMs', type: 'int32', from: 1, default: 0 },
      {
        name: 'responses',
        type: '[]struct',
        fields: [
          { name: 'name', type: 'string', nullable: 6 },
          { name: 'topicId', type: 'uuid', from: 6 },
          { name: 'errorCode', type: 'int16' },
          { name: 'errorMessage', type: 'string', from: 5, nullable: 5, default: null },
        ],
      },
    ],
  },
  CreatePartitions: {
    key: 37,
    flexible: 2,
    request: [
      {
        name: 'topics',
        type: '[]struct',
        fields: [
          { name: 'name', type: 'string' },
          { name: 'count', type: 'int32' },
          { name: 'assignments', type: '[]struct', nullable: 0, fields: [{ name: 'brokerIds', type: '[]int32' }] },
        ],
      },
      { name: 'timeoutMs', type: 'int32' },
      { name: 'validateOnly', type: 'bool' },
    ],
    response: [
      { name: 'throttleTimeMs', type: 'int32', default: 0 },
      {
        name: 'results',
        type: '[]struct',
        fields: [
          { name: 'name', type: 'string' },
          { name: 'errorCode', type: 'int16' },
          { name: 'errorMessage', type: 'string', nullable: 0, default: null },
        ],
      },
    ],
  },
  DescribeConfigs: {
    key: 32,
    flexible: 4,
    request: [
      {
        name: 'resources',
        type: '[]struct',
        fields: [
          { name: 'resourceType', type: 'int8' },
          { name: 'resourceName', type: 'string' },
          { name: 'configurationKeys', type: '[]string', nullable: 0 },
        ],
      },
      { name: 'includeSynonyms', type: 'bool', from: 1, default: false },
      { name: 'includeDocumentation', type: 'bool', from: 3, default: false },
    ],
    response: [
      { name: 'throttleTimeMs', type: 'int32', default: 0 },
      {
        name: 'results',
        type: '[]struct',
        fields: [
          { name: 'errorCode', type: 'int16' },
          { name: 'errorMessage', type: 'string', nullable: 0 },
          { name: 'resourceType', type: 'int8' },
          { name: 'resourceName', type: 'string' },
          {
            name: 'configs',
            type: '[]struct',
            fields: [
              { name: 'name', type: 'string' },
              { name: 'value', type: 'string', nullable: 0 },
              { name: 'readOnly', type: 'bool' },
              { name: 'isDefault', type: 'bool', to: 0 },
              { name: 'configSource', type: 'int8', from: 1, default: -1 },
              { name: 'isSensitive', type: 'bool' },
              {
                name: 'synonyms',
                type: '[]struct',
                from: 1,
                fields: [
                  { name: 'name', type: 'string', from: 1 },
                  { name: 'value', type: 'string', from: 1, nullable: 0 },
                  { name: 'source', type: 'int8', from: 1 },
                ],
              },
              { name: 'configType', type: 'int8', from: 3, default: 0 },
              { name: 'documentation', type: 'string', from: 3, nullable: 0 },
            ],
          },
        ],
      },
    ],
  },
  AlterConfigs: {
    key: 33,
    flexible: 2,
    request: [
      {
        name: 'resources',
        type: '[]struct',
        fields: [
          { name: 'resourceType', type: 'int8' },
          { name: 'resourceName', type: 'string' },
          {
            name: 'configs',
            type: '[]struct',
            fields: [
              { name: 'name', type: 'string' },
              { name: 'value', type: 'string', nullable: 0 },
            ],
          },
        ],
      },
      { name: 'validateOnly', type: 'bool' },
    ],
    response: [
      { name: 'throttleTimeMs', type: 'int32', default: 0 },
      {
        name: 'responses',
        type: '[]struct',
        fields: [
          { name: 'errorCode', type: 'int16' },
          { name: 'errorMessage', type: 'string', nullable: 0 },
          { name: 'resourceType', type: 'int8' },
          { name: 'resourceName', type: 'string' },
        ],
      },
    ],
  },
  IncrementalAlterConfigs: {
    key: 44,
    flexible: 1,
    request: [
      {
        name: 'resources',
        type: '[]struct',
        fields: [
          { name: 'resourceType', type: 'int8' },
          { name: 'resourceName', type: 'string' },
          {
            name: 'configs',
            type: '[]struct',
            fields: [
              { name: 'name', type: 'string' },
              { name: 'configOperation', type: 'int8' },
              { name: 'value', type: 'string', nullable: 0 },
            ],
          },
        ],
      },
      { name: 'validateOnly', type: 'bool' },
    ],
    response: [
      { name: 'throttleTimeMs', type: 'int32', default: 0 },
      {
        name: 'responses',
        type: '[]struct',
        fields: [
          { name: 'errorCode', type: 'int16' },
          { name: 'errorMessage', type: 'string', nullable: 0 },
          { name: 'resourceType', type: 'int8' },
          { name: 'resourceName', type: 'string' },
        ],
      },
    ],
  },
  DescribeLogDirs: {
    key: 35,
    flexible: 2,
    request: [
      {
        name: 'topics',
        type: '[]struct',
        nullable: 0,
        fields: [
          { name: 'topic', type: 'string' },
          { name: 'partitions', type: '[]int32' },
        ],
      },
    ],
    response: [
      { name: 'throttleTimeMs', type: 'int32', default: 0 },
      { name: 'errorCode', type: 'int16', from: 3 },
      {
        name: 'results',
        type: '[]struct',
        fields: [
          { name: 'errorCode', type: 'int16' },
          { name: 'logDir', type: 'string' },
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
                  { name: 'partitionSize', type: 'int64' },
                  { name: 'offsetLag', type: 'int64' },
                  { name: 'isFutureKey', type: 'bool' },
                ],
              },
            ],
          },
          { name: 'totalBytes', type: 'int64', from: 4, default: -1 },
          { name: 'usableBytes', type: 'int64', from: 4, default: -1 },
        ],
      },
    ],
  },
  DescribeCluster: {
    key: 60,
    flexible: 0,
    request: [
      { name: 'includeClusterAuthorizedOperations', type: 'bool' },
      { name: 'endpointType', type: 'int8', from: 1, default: 1 },
    ],
    response: [
      { name: 'throttleTimeMs', type: 'int32', default: 0 },
      { name: 'errorCode', type: 'int16' },
      { name: 'errorMessage', type: 'string', nullable: 0, default: null },
      { name: 'endpointType', type: 'int8', from: 1, default: 1 },
      { name: 'clusterId', type: 'string' },
      { name: 'controllerId', type: 'int32', default: -1 },
      {
        name: 'brokers',
        type: '[]struct',
        fields: [
          { name: 'brokerId', type: 'int32' },
          { name: 'host', type: 'string' },
          { name: 'port', type: 'int32' },
          { name: 'rack', type: 'string', nullable: 0, default: null },
        ],
      },
      { name: 'clusterAuthorizedOperations', type: 'int32', default: -2147483648 },
    ],
  },
} as const satisfies Record<string, ApiTable>;
