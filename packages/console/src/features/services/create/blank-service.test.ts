import { fieldErrors } from '@slipway/contract/kernel/issues.ts';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { blankDefaults, blankSchema, imageBelow, type BlankValues } from './blank-service.ts';

const prefix = 'localhost:4000/berth/';
const schema = blankSchema('berth', prefix);
const values = (patch: Partial<BlankValues> = {}, spec: Partial<BlankValues['spec']> = {}): BlankValues => {
  const defaults = blankDefaults('berth', 'production');
  return { ...defaults, name: 'berth-api', ...patch, spec: { ...defaults.spec, ...spec } };
};
const errorsOf = (input: BlankValues) => {
  const result = z.safeParse(schema, input, { reportInput: true });
  return result.success ? [] : fieldErrors(result.error).map(({ field, code }) => [field, code]);
};

test('what is left alone is a new service with its own image', () => {
  const service = z.parse(schema, values());
  expect(service).toMatchObject({ name: 'berth-api', environment: 'production', githubRepositoryName: null });
  expect(service.spec?.containerImageName).toBe('localhost:4000/berth/berth-api');
});

test('the checks go to the port that was chosen', () => {
  const { spec } = z.parse(schema, values({}, { exposedPort: 3000 }));
  expect([spec?.exposedPort, spec?.template.healthCheck.http.port, spec?.template.healthCheck.tcp.port]).toEqual([3000, 3000, 3000]);
});

test.each([
  ['worker', 'worker'],
  [`${prefix}worker:1.2`, 'worker'],
  [`${prefix}team/worker@sha256:abc`, 'team/worker'],
  [' worker ', 'worker'],
])('%j means the repository %s of the app’s project', (text, image) => {
  expect(imageBelow(prefix, text)).toBe(image);
});

test('errors stand where the server would put them', () => {
  expect(errorsOf(values({ name: 'crane-api' }))).toEqual([['name', 'ServiceNameMustStartWithApplicationName']]);
  expect(errorsOf(values({ githubRepositoryName: 'https://git.example/x.git' }))).toEqual([['githubRepositoryName', 'RepositoryNameOnly']]);
  expect(errorsOf(values({ name: 'crane-api' }, { exposedPort: null }))).toEqual([
    ['name', 'ServiceNameMustStartWithApplicationName'],
    ['spec.exposedPort', 'NotANumber'],
  ]);
  expect(errorsOf(values({}, { resources: { cpuMillicores: 10, memoryMegabytes: 256 } }))).toEqual([
    ['spec.resources.cpuMillicores', 'Minimum'],
  ]);
  expect(errorsOf(values({}, { template: { healthCheck: { http: { path: 'healthz' } } } }))).toEqual([
    ['spec.template.healthCheck.http.path', 'NotAPath'],
  ]);
});
