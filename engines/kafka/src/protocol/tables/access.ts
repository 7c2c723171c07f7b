/** Access rules and users: the fields of requests and responses, from the message definitions of Apache Kafka (Apache License 2.0). See field.ts. */
import type { ApiTable } from '../field.ts';

export const accessTables = {
  DescribeAcls: {
    key: 29,
    flexible: 2,
    request: [
      { name: 'resourceTypeFilter', type: 'int8' },
      { name: 'resourceNameFilter', type: 'string', nullable: 0 },
      { name: 'patternTypeFilter', type: 'int8', from: 1, default: 3 },
      { name: 'principalFilter', type: 'string', nullable: 0 },
      { name: 'hostFilter', type: 'string', nullable: 0 },
      { name: 'operation', type: 'int8' },
      { name: 'permissionType', type: 'int8' },
    ],
    response: [
      { name: 'throttleTimeMs', type: 'int32', default: 0 },
      { name: 'errorCode', type: 'int16' },
      { name: 'errorMessage', type: 'string', nullable: 0 },
      {
        name: 'resources',
        type: '[]struct',
        fields: [
          { name: 'resourceType', type: 'int8' },
          { name: 'resourceName', type: 'string' },
          { name: 'patternType', type: 'int8', from: 1, default: 3 },
          {
            name: 'acls',
            type: '[]struct',
            fields: [
              { name: 'principal', type: 'string' },
              { name: 'host', type: 'string' },
              { name: 'operation', type: 'int8' },
              { name: 'permissionType', type: 'int8' },
            ],
          },
        ],
      },
    ],
  },
  CreateAcls: {
    key: 30,
    flexible: 2,
    request: [
      {
        name: 'creations',
        type: '[]struct',
        fields: [
          { name: 'resourceType', type: 'int8' },
          { name: 'resourceName', type: 'string' },
          { name: 'resourcePatternType', type: 'int8', from: 1, default: 3 },
          { name: 'principal', type: 'string' },
          { name: 'host', type: 'string' },
          { name: 'operation', type: 'int8' },
          { name: 'permissionType', type: 'int8' },
        ],
      },
    ],
    response: [
      { name: 'throttleTimeMs', type: 'int32', default: 0 },
      {
        name: 'results',
        type: '[]struct',
        fields: [
          { name: 'errorCode', type: 'int16' },
          { name: 'errorMessage', type: 'string', nullable: 0 },
        ],
      },
    ],
  },
  DeleteAcls: {
    key: 31,
    flexible: 2,
    request: [
      {
        name: 'filters',
        type: '[]struct',
        fields: [
          { name: 'resourceTypeFilter', type: 'int8' },
          { name: 'resourceNameFilter', type: 'string', nullable: 0 },
          { name: 'patternTypeFilter', type: 'int8', from: 1, default: 3 },
          { name: 'principalFilter', type: 'string', nullable: 0 },
          { name: 'hostFilter', type: 'string', nullable: 0 },
          { name: 'operation', type: 'int8' },
          { name: 'permissionType', type: 'int8' },
        ],
      },
    ],
    response: [
      { name: 'throttleTimeMs', type: 'int32', default: 0 },
      {
        name: 'filterResults',
        type: '[]struct',
        fields: [
          { name: 'errorCode', type: 'int16' },
          { name: 'errorMessage', type: 'string', nullable: 0 },
          {
            name: 'matchingAcls',
            type: '[]struct',
            fields: [
              { name: 'errorCode', type: 'int16' },
              { name: 'errorMessage', type: 'string', nullable: 0 },
              { name: 'resourceType', type: 'int8' },
              { name: 'resourceName', type: 'string' },
              { name: 'patternType', type: 'int8', from: 1, default: 3 },
              { name: 'principal', type: 'string' },
              { name: 'host', type: 'string' },
              { name: 'operation', type: 'int8' },
              { name: 'permissionType', type: 'int8' },
            ],
          },
        ],
      },
    ],
  },
  DescribeUserScramCredentials: {
    key: 50,
    flexible: 0,
    request: [{ name: 'users', type: '[]struct', nullable: 0, fields: [{ name: 'name', type: 'string' }] }],
    response: [
      { name: 'throttleTimeMs', type: 'int32', default: 0 },
      { name: 'errorCode', type: 'int16' },
      { name: 'errorMessage', type: 'string', nullable: 0 },
      {
        name: 'results',
        type: '[]struct',
        fields: [
          { name: 'user', type: 'string' },
          { name: 'errorCode', type: 'int16' },
          { name: 'errorMessage', type: 'string', nullable: 0 },
          {
            name: 'credentialInfos',
            type: '[]struct',
            fields: [
              { name: 'mechanism', type: 'int8' },
              { name: 'iterations', type: 'int32' },
            ],
          },
        ],
      },
    ],
  },
  AlterUserScramCredentials: {
    key: 51,
    flexible: 0,
    request: [
      {
        name: 'deletions',
        type: '[]struct',
        fields: [
          { name: 'name', type: 'string' },
          { name: 'mechanism', type: 'int8' },
        ],
      },
      {
        name: 'upsertions',
        type: '[]struct',
        fields: [
          { name: 'name', type: 'string' },
          { name: 'mechanism', type: 'int8' },
          { name: 'iterations', type: 'int32' },
          { name: 'salt', type: 'bytes' },
          { name: 'saltedPassword', type: 'bytes' },
        ],
      },
    ],
    response: [
      { name: 'throttleTimeMs', type: 'int32', default: 0 },
      {
        name: 'results',
        type: '[]struct',
        fields: [
          { name: 'user', type: 'string' },
          { name: 'errorCode', type: 'int16' },
          { name: 'errorMessage', type: 'string', nullable: 0 },
        ],
      },
    ],
  },
} as const satisfies Record<string, ApiTable>;
