/** The OpenAPI document matches the contract, in a form that tools support. */
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { route, statusOf } from '@slipway/contract/kernel/kernel.ts';
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
/** Returns all values of a key, at any depth. */
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

describe('generators of clients', () => {
  const components = Object.entries(document.components.schemas);
  const constraints = (schema: object): string[] => Object.keys(schema).filter((key) => key !== 'type');

  test('find no component that is any string or number', () => {
    expect(components.filter(([, schema]) => constraints(schema).length === 0)).toEqual([]);
  });

  test('find an entity where the route names it, and not where another schema reads the same', () => {
    const Berth = z.object({ depth: z.number() });
    const Quay = z.object({ depth: z.number() });
    const described = openApi(
      {
        routes: [
          route({ id: 'berthView', method: 'GET', path: '/a', summary: 'A', tag: 'A', access: 'public', response: Berth, codes: [] }),
          route({ id: 'quayView', method: 'GET', path: '/b', summary: 'B', tag: 'B', access: 'public', response: Quay, codes: [] }),
        ],
        schemas: { Berth },
      },
      '1.0.0',
    ) as Document;
    const answerOf = (path: string) => described.paths[path]?.['get']?.responses['200']?.content?.['application/json']?.schema;
    expect(answerOf('/a')).toEqual({ $ref: '#/components/schemas/Berth' });
    expect(answerOf('/b')).toMatchObject({ type: 'object' });
    expect(JSON.stringify(document)).not.toContain('x-entity');
    expect(operationOf('/api/v1/pipelines/{pipelineId}', 'GET')?.responses['200']?.content?.['application/json']?.schema).toEqual({
      $ref: '#/components/schemas/PipelineRun',
    });
  });

  test('find one type for each schema', () => {
    const several = all(document, 'type').filter((type) => Array.isArray(type) && type.filter((one) => one !== 'null').length > 1);
    expect(several).toEqual([]);
    // Generated Java turns constant booleans into strings, and does not compile.
    expect(all(document, 'const').filter((value) => typeof value === 'boolean')).toEqual([]);
    expect(document.components.schemas['InstanceEvent']).toMatchObject({
      properties: { context: { anyOf: [{ additionalProperties: { anyOf: [{ type: 'string' }, { type: 'number' }] } }, { type: 'null' }] } },
    });
  });

  test('find a list where one word stands for all of it', () => {
    expect(document.components.schemas['ServiceCopy']).toMatchObject({
      properties: { carry: { type: 'array', items: { type: 'string' }, description: 'Leave it out for all.' } },
    });
  });

  test('find no component that Go’s constructor of another one is called', () => {
    const names = new Set(components.map(([name]) => name));
    expect([...names].filter((name) => names.has(`New${name}`))).toEqual([]);
    // Generated Java has an annotation with this name.
    expect([...names]).not.toContain('Schema');
  });

  test('find an array where a query takes one value or several', () => {
    const queries = Object.values(document.paths)
      .flatMap((operations) => Object.values(operations))
      .flatMap(({ parameters }) => parameters);
    expect(queries.filter(({ schema }) => 'anyOf' in schema)).toEqual([]);
    expect(operationOf('/api/v1/pipelines', 'GET')?.parameters.find(({ name }) => name === 'state')).toEqual({
      name: 'state',
      in: 'query',
      required: false,
      style: 'form',
      explode: true,
      schema: { type: 'array', items: { $ref: '#/components/schemas/PipelineState' } },
    });
  });
});
