/**
 * Handshake and sign-in of connections: the fields of requests and responses, from the message definitions of Apache Kafka (Apache License
 * 2.0). See field.ts.
 */
import type { ApiTable } from '../field.ts';

export const connectionsTables = {
  ApiVersions: {
    key: 18,
    flexible: 3,
    request: [
      { name: 'clientSoftwareName', type: 'string', from: 3 },
      { name: 'clientSoftwareVersion', type: 'string', from: 3 },
    ],
    response: [
      { name: 'errorCode', type: 'int16' },
      {
        name: 'apiKeys',
        type: '[]struct',
        fields: [
          { name: 'apiKey', type: 'int16' },
          { name: 'minVersion', type: 'int16' },
          { name: 'maxVersion', type: 'int16' },
        ],
      },
      { name: 'throttleTimeMs', type: 'int32', from: 1, default: 0 },
      {
        name: 'supportedFeatures',
        type: '[]struct',
        from: 3,
        tag: 0,
        fields: [
          { name: 'name', type: 'string', from: 3 },
          { name: 'minVersion', type: 'int16', from: 3 },
          { name: 'maxVersion', type: 'int16', from: 3 },
        ],
      },
      { name: 'finalizedFeaturesEpoch', type: 'int64', from: 3, tag: 1, default: -1 },
      {
        name: 'finalizedFeatures',
        type: '[]struct',
        from: 3,
        tag: 2,
        fields: [
          { name: 'name', type: 'string', from: 3 },
          { name: 'maxVersionLevel', type: 'int16', from: 3 },
          { name: 'minVersionLevel', type: 'int16', from: 3 },
        ],
      },
      { name: 'zkMigrationReady', type: 'bool', from: 3, tag: 3, default: false },
    ],
  },
  SaslHandshake: {
    key: 17,
    flexible: Infinity,
    request: [{ name: 'mechanism', type: 'string' }],
    response: [
      { name: 'errorCode', type: 'int16' },
      { name: 'mechanisms', type: '[]string' },
    ],
  },
  SaslAuthenticate: {
    key: 36,
    flexible: 2,
    request: [{ name: 'authBytes', type: 'bytes' }],
    response: [
      { name: 'errorCode', type: 'int16' },
      { name: 'errorMessage', type: 'string', nullable: 0 },
      { name: 'authBytes', type: 'bytes' },
      { name: 'sessionLifetimeMs', type: 'int64', from: 1, default: 0 },
    ],
  },
} as const satisfies Record<string, ApiTable>;
