import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { errorCatalogue, fill, labelled, messageOf } from './errors.ts';
import { fieldErrors, labelOf } from './issues.ts';
import { SecretGroupCreate } from '../secret/secret-group.ts';
import { ServiceSpec, newServiceSpec } from '../service/service-spec.ts';
import { stepMessageOf, stepNameOf } from '../pipeline/steps.ts';

/** Exact texts from the specification §8: changing a text changes the product. */
test.each([
  ['ApplicationAlreadyExists', 'Application already exists'],
  ['ApplicationDoesNotExists', 'Application with this ID does not exist'],
  ['DeployPipelineAlreadyRunning', 'Deploy pipeline for this service is already running'],
  ['ExistingServices', 'Application services still exist and can not be deleted'],
  ['ExistingRevisions', 'Unable to delete service with existing revisions'],
  ['PipelineUncancellableState', 'Pipeline is in uncancellable state'],
  ['TeamExistingApplications', 'Team has applications and can not be deleted'],
  ['WorkflowExecutionAlreadyStarted', 'Pipeline for this application is already running'],
  ['INTERNAL_APPLICATION_ERROR', 'Something went wrong on our side. Please try again later.'],
  ['MISSING_RESOURCE', 'The resource you are trying to access does not exist.'],
])('%s says “%s”', (code, text) => expect(messageOf(code)).toBe(text));

test('texts are filled from the context, and unknown codes are empty', () => {
  expect(messageOf('Required', { label: 'App name' })).toBe('App name is required');
  expect(messageOf('Maximum', { label: 'Replicas', max: '10' })).toBe('Maximum Replicas of 10 is required');
  expect(messageOf('NoSuchCode')).toBe('');
  expect(messageOf('Required', { label: 'Id', path: 'id' })).toBe('id is a required field');
  expect(messageOf('Required', labelled({ label: 'Id', path: 'id' }, 'App name'))).toBe('App name is required');
  expect(fill('{a} and {b}', { a: '1' })).toBe('1 and ');
});

test('every code has a status that its family of errors uses', () => {
  for (const { status } of Object.values(errorCatalogue))
    expect([400, 401, 403, 404, 405, 409, 412, 413, 421, 429, 431, 500, 503, 507]).toContain(status);
});

test('a step message is found by step and code, then by code, then not at all', () => {
  expect(stepMessageOf('CheckNames', { code: 'RepositoryAlreadyExists', context: { repoName: 'a/b' } })).toBe(
    'Github repository a/b already exists. Choose a different application name.',
  );
  expect(stepMessageOf('DeleteSubjects', { code: 'SCHEMA_IS_REFERENCED_BY_TOPICS', context: { schemaId: 'sch_1' } })).toBe(
    'Schema sch_1 is referenced by topics',
  );
  expect(stepMessageOf('AnyStep', { code: 'Canceled', context: { by: 'Ingrid' } })).toBe('Cancelled by Ingrid.');
  expect(stepMessageOf('AnyStep', { code: 'NoSuchCode', context: {} })).toBe('');
  expect(stepMessageOf('AnyStep', null)).toBe('');
  expect(stepNameOf('NoSuchStep')).toBe('Unknown step');
});

test("Zod's issues become the specification's codes, at their fields", () => {
  const schema = z.object({
    count: z.number().check(z.int(), z.minimum(1), z.maximum(10)),
    list: z.array(z.string()).check(z.minLength(1)),
  });
  const of = (value: unknown) => {
    const result = schema.safeParse(value, { reportInput: true });
    return result.success
      ? []
      : fieldErrors(result.error).map(({ field, code, context }) => [field, code, context?.['max'] ?? context?.['min']]);
  };
  expect(of({ count: 11, list: ['a'] })).toEqual([['count', 'Maximum', '10']]);
  expect(of({ count: 0, list: [] })).toEqual([
    ['count', 'Minimum', '1'],
    ['list', 'Required', '1'],
  ]);
  expect(of({ count: 'x', list: ['a'] })).toEqual([['count', 'NotANumber', undefined]]);
  expect(of({ list: ['a'] })).toEqual([['count', 'Required', undefined]]);
  expect(labelOf('spec.resources.cpuMillicores')).toBe('Spec resources cpu millicores');
});

test('an error does not carry on what may be a secret', () => {
  const entries = [
    { key: 'A', value: 'hunter2\0' },
    { key: 'PASSWORD=hunter2', value: '' },
  ];
  for (const body of [
    { name: 'orders', entries },
    { name: 'orders', entries: 'hunter2' },
  ]) {
    const result = SecretGroupCreate.safeParse(body, { reportInput: true });
    expect(result.success).toBe(false);
    expect(JSON.stringify(result.success ? [] : fieldErrors(result.error))).not.toContain('hunter2');
  }
  const wrong = SecretGroupCreate.safeParse({ name: 'Orders', entries }, { reportInput: true });
  expect(wrong.success ? [] : fieldErrors(wrong.error)[0]?.context).toMatchObject({ value: 'Orders' });
});

test('the settings of a new service are valid settings', () => {
  expect(ServiceSpec.safeParse(newServiceSpec('localhost:4000/a/a')).success).toBe(true);
});
