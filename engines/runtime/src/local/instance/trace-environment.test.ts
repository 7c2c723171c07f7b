import { expect, test } from 'vitest';
import type { RevisionSpec } from '@slipway/foundation/ports/runtime.ts';
import { traceEnvironment } from './trace-environment.ts';

const spec = (more: Partial<RevisionSpec> = {}): RevisionSpec => ({
  id: 'rev_1',
  app: 'berth',
  environment: 'production',
  service: 'web',
  revision: 'web-3',
  image: { repository: 'berth/web', digest: 'sha256:0' },
  env: {},
  files: [],
  exposedPort: 8080,
  health: undefined,
  cpuMillicores: 100,
  memoryMegabytes: 128,
  replicas: 1,
  stopGraceSeconds: 1,
  traceToken: 'rev_1.abc',
  ...more,
});
const place = { instance: 'web-3-1', image: {}, platformUrl: 'http://127.0.0.1:3000' };

test('names the endpoint, the token and the service', () => {
  expect(traceEnvironment(spec(), place)).toEqual({
    OTEL_SERVICE_NAME: 'web',
    OTEL_RESOURCE_ATTRIBUTES:
      'service.namespace=berth,service.version=web-3,service.instance.id=web-3-1,deployment.environment.name=production',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:3000/otlp',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20rev_1.abc',
    OTEL_METRICS_EXPORTER: 'none',
    OTEL_LOGS_EXPORTER: 'none',
  });
});

test.each([
  ['settings', spec({ env: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://otlp.example.com' } }), place],
  ['image', spec(), { ...place, image: { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otlp.example.com' } }],
])('gives no token to a service whose %s name a collector', (_where, revision, at) => {
  expect(Object.keys(traceEnvironment(revision, at))).toEqual(['OTEL_SERVICE_NAME', 'OTEL_RESOURCE_ATTRIBUTES']);
});

test('sets nothing for revisions of earlier versions, or if the platform cannot be reached', () => {
  const { traceToken: _, ...former } = spec();
  expect(traceEnvironment(former, place)).toEqual({});
  expect(traceEnvironment(spec(), { ...place, platformUrl: undefined })).toEqual({});
});
