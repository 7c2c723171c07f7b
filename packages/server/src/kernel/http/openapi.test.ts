/** The OpenAPI document says what the contract says, in a form that tools read. */
import { describe, expect, test } from 'vitest';
import { statusOf } from '@slipway/contract/kernel/kernel.ts';
import { routes, schemas } from '@slipway/contract/routes.ts';
import { openApi } from './openapi.ts';

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { name: string; in: string; required?: boolean; schema: object }[];
  readonly requestBody?: { required: boolean; content: Record<string, { schema: object }> };
  readonly responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>;
  readonly security?: readonly object[];
}
interface Document {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, object> };
}
const document = openApi({ routes, schemas }, '1.2.3') as Document;
const operationOf = (path: string, method: string): Operation | undefined => document.paths[path]?.[method.toLowerCase()];

const values = (node: unknown): unknown[] => (typeof node === 'object' && node !== null ? Object.values(node) : []);
/** Every value of a key, wherever it stands. */
const all = (node: unknown, key: string): unknown[] => [
  ...(typeof node === 'object' && node !== null && key in node ? [(node as Record<string, unknown>)[key]] : []),
  ...values(node).flatMap((value) => all(value, key)),
];

test('operation ids are unique, and none is missing', () => {
  const ids = all(document.paths, 'operationId');
  expect(ids.toSorted()).toEqual(routes.map(({ id }) => id).toSorted());
});

test('every reference leads somewhere', () => {
  const references = all(document, '$ref') as string[];
  expect(references.length).toBeGreaterThan(0);
  for (const reference of references) {
    const target = reference
      .replace('#/', '')
      .split('/')
      .reduce<unknown>((node, part) => (node as Record<string, unknown>)[part], document);
    expect(target, reference).toBeDefined();
  }
});

describe.each(routes.map((route) => [route.id, route] as const))('%s', (_id, route) => {
  test('is described', () => {
    const operation = operationOf(route.path, route.method);
    const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(operation?.parameters.filter((one) => one.in === 'path').map(({ name }) => name)).toEqual(names);
    const queries = Object.keys(route.query?.shape ?? {});
    expect(operation?.parameters.filter((one) => one.in === 'query').map(({ name }) => name)).toEqual(queries);
    expect(operation?.requestBody !== undefined).toBe(route.body !== undefined);
    const { content = {} } = operation?.responses[String(statusOf(route))] ?? {};
    expect(Object.keys(content)).toHaveLength(route.mediaTypes?.length ?? (route.response || route.stream ? 1 : 0));
    expect(Object.keys(operation?.responses ?? {})).toEqual(expect.arrayContaining(['400', '401', '403', '404', '500', '503']));
    expect(operation?.security).toEqual(route.access === 'public' ? [] : undefined);
  });
});

test('a body that may be left out is not required', () => {
  expect(operationOf('/api/v1/pipelines/{pipelineId}/reruns', 'POST')?.requestBody?.required).toBe(false);
  expect(operationOf('/api/team-service/teams/v2', 'POST')?.requestBody?.required).toBe(true);
});
