/** The OpenAPI document matches the contract, in a form that tools support. */
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { apiSections } from '@slipway/contract/api-sections.ts';
import { PageQuery } from '@slipway/contract/kernel/fields.ts';
import { route, statusOf, type RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { PipelineRun, pipelineView } from '@slipway/contract/pipeline/pipeline.ts';
import { DryRunQuery, PlanOrRun } from '@slipway/contract/pipeline/plan.ts';
import { described as contract, routes } from '@slipway/contract/routes.ts';
import { describeRoute } from './describe-route.ts';
import { openApi } from './openapi.ts';

interface Operation {
  readonly operationId: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters: readonly { name: string; in: string; required?: boolean; schema: object }[];
  readonly requestBody?: { required: boolean; content: Record<string, { schema: object }> };
  readonly responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>;
  readonly security?: readonly object[];
}
interface Document {
  readonly openapi: string;
  readonly info: { readonly contact: { readonly name: string } };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, object> };
}
const document = openApi(contract, '1.2.3') as Document;
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
    expect(Object.keys(content)).toHaveLength(
      route.mediaTypes?.length ?? (route.response || route.stream ? 1 : 0) + (route.alsoAs?.length ?? 0),
    );
    expect(Object.keys(operation?.responses ?? {})).toEqual(expect.arrayContaining(['400', '401', '403', '404', '500', '503']));
    expect(operation?.security).toEqual(route.access === 'public' ? [] : undefined);
  });
});

test('each operation has a description and one section, and each section has a description', () => {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const sections = new Map(document.tags.map(({ name, description }) => [name, description]));
  expect(operations.filter(({ description }) => !/^[A-Z].*\.$/.test(description)).map(({ operationId }) => operationId)).toEqual([]);
  expect([...new Set(operations.flatMap(({ tags }) => tags))]).toEqual([...sections.keys()]);
  expect(Object.keys(apiSections).toSorted()).toEqual([...sections.keys()].toSorted());
  expect([...sections.values()].filter((description) => !/^[A-Z].*\.$/.test(description))).toEqual([]);
  expect(document.info.contact.name).not.toBe('');
});

describe('a description tells', () => {
  const described = (change: Partial<RouteShape>): string => {
    const base = { id: 'berthClose', method: 'POST', path: '/a', summary: 'A', tag: 'A', access: 'signedIn', codes: [] } as const;
    return describeRoute({ ...base, ...change }, PipelineRun);
  };

  test('who may call', () => {
    expect(described({ access: 'public' })).toMatch(/^Needs no sign-in\./);
    expect(described({ access: 'public' })).not.toContain('scope');
    expect(described({ access: 'appMemberHidden' })).toMatch(/^Requires a member of the team that owns the app .* the answer is 404/);
    expect(described({ access: 'administrator', codes: ['NotAnAdministrator'] })).not.toContain('Further rules');
    expect(described({ codes: ['NotAMember', 'Required'] })).toContain('Further rules can refuse the call with 403: `NotAMember`.');
    expect(described({ method: 'GET' })).toContain('the scope `read` or `write`');
    expect(described({})).toContain('the scope `write`');
  });

  test('what becomes of the pipeline and of a dry run', () => {
    expect(described({ response: PipelineRun, status: 202 })).toMatch(/run of a pipeline, which continues in the background/);
    expect(described({ response: PipelineRun, status: 202 })).toContain(`${pipelineView.method} ${pipelineView.path}`);
    expect(described({ response: z.union([z.null(), PipelineRun]) })).toContain('Waits for the pipeline.');
    expect(described({ method: 'GET', response: PipelineRun })).not.toContain('background');
    expect(described({ query: DryRunQuery, response: PlanOrRun, status: 202 })).toMatch(/background.* With `dryRun=true`/);
  });

  test('limits, pages, media types and repeats', () => {
    expect(described({ body: z.object({}), bodyLimitKilobytes: 192, bodyMediaType: 'application/yaml' })).toMatch(/yaml.*192 KiB/);
    expect(described({ method: 'GET', query: PageQuery })).toContain('at most 100');
    expect(described({ method: 'GET', stream: 'events' })).toContain('server-sent events');
    expect(described({})).toContain('`Idempotency-Key` header gets the first answer');
    expect(described({ isSecret: 'answer' })).toContain('builds the answer again');
    expect(described({ isSecret: true })).toContain('Ignores the `Idempotency-Key` header');
    expect(described({ method: 'GET' })).not.toContain('Idempotency-Key');
  });
});

test('a write that plans or waits has the status of that answer, too', () => {
  const answers = (path: string, method: string) =>
    Object.entries(operationOf(path, method)?.responses ?? {}).flatMap(([status, { content }]) =>
      Number(status) < 300 ? [[status, content?.['application/json']?.schema]] : [],
    );
  const planned = { $ref: '#/components/schemas/PlanOrRun' };
  expect(answers('/api/v1/apps/{app}/{env}/services/{service}/activation', 'PUT')).toEqual([
    ['200', planned],
    ['202', planned],
  ]);
  expect(answers('/api/team-service/teams/v1', 'POST').map(([status]) => status)).toEqual(['200', '202']);
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
        sections: {},
        run: PipelineRun,
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

  test('find numbers that hold sizes in bytes', () => {
    const numbers = all({ document }, 'properties')
      .flatMap(values)
      .flatMap((schema) => JSON.stringify(schema).match(/\{[^{}]*"type":"number"[^{}]*\}/g) ?? []);
    expect(numbers.filter((schema) => !/"(?:enum|const|format)":/.test(schema))).toEqual([]);
    expect(document.components.schemas['ImageLayer']).toMatchObject({ properties: { sizeBytes: { type: 'number', format: 'double' } } });
    expect(operationOf('/api/v1/pipelines', 'GET')?.parameters[0]).toMatchObject({
      name: 'page',
      schema: { type: 'integer', format: 'int64' },
    });
  });

  test('find booleans in a query', () => {
    expect(operationOf('/api/v1/apps', 'GET')?.parameters.find(({ name }) => name === 'mine')?.schema).toEqual({
      type: 'boolean',
      default: false,
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
