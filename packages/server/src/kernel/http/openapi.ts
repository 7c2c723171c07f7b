/** OpenAPI 3.1 out of the contract's routes. */
import * as z from 'zod/mini';
import { errorCatalogue, generalCodes, type ErrorCode } from '@slipway/contract/kernel/errors.ts';
import { statusOf, type RouteShape } from '@slipway/contract/kernel/kernel.ts';

const schemaOf = (schema: z.ZodMiniType, io: 'input' | 'output'): z.core.JSONSchema.BaseSchema => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', target: 'draft-2020-12' });
  return rest;
};

const parametersOf = (route: RouteShape): object[] => {
  const path = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
  if (!route.query) return path;
  const { properties = {}, required = [] } = schemaOf(route.query, 'input');
  return [
    ...path,
    ...Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: required.includes(name), schema })),
  ];
};

const errorsOf = (route: RouteShape): Record<string, object> => {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set([...route.codes, ...generalCodes])) {
    const { status } = errorCatalogue[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      { description: codes.join(', '), content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/ErrorObject' } } } },
    ]),
  );
};

const streamTypes: Readonly<Record<NonNullable<RouteShape['stream']>, string>> = {
  events: 'text/event-stream',
  text: 'text/plain',
  bytes: 'application/octet-stream',
};

const isYaml = (type: string): boolean => type === 'application/yaml';

const contentOf = ({ stream, mediaTypes, response }: RouteShape): object => {
  if (!stream) return response ? { 'application/json': { schema: schemaOf(response, 'output') } } : {};
  // A schema is about what a reader makes of the bytes: of YAML a map, of an image nothing.
  const schemaFor = (type: string) => (stream === 'bytes' ? {} : { type: isYaml(type) ? 'object' : 'string' });
  return Object.fromEntries((mediaTypes ?? [streamTypes[stream]]).map((type) => [type, { schema: schemaFor(type) }]));
};

const bodyOf = (body: z.ZodMiniType, bodyMediaType: string | undefined): object => ({
  required: !body.safeParse(undefined).success,
  content: {
    'application/json': { schema: schemaOf(body, 'input') },
    ...(bodyMediaType === undefined ? {} : { [bodyMediaType]: { schema: { type: isYaml(bodyMediaType) ? 'object' : 'string' } } }),
  },
});

const operationOf = (route: RouteShape): object => ({
  operationId: route.id,
  summary: route.summary,
  tags: [route.tag],
  'x-access': route.access,
  ...(route.access === 'public' ? { security: [] } : {}),
  parameters: parametersOf(route),
  ...(route.body ? { requestBody: bodyOf(route.body, route.bodyMediaType) } : {}),
  responses: { [String(statusOf(route))]: { description: route.summary, content: contentOf(route) }, ...errorsOf(route) },
});

const errorSchema = {
  type: 'object',
  required: ['status', 'title', 'errors'],
  properties: {
    status: { type: 'integer' },
    title: { type: 'string' },
    traceId: { type: 'string' },
    detail: { type: 'string' },
    name: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['code'],
        properties: {
          field: { type: 'string' },
          code: { type: 'string' },
          context: { type: 'object', additionalProperties: { type: 'string' } },
        },
      },
    },
  },
};

/** Replaces what is an entity by a reference to it: generated clients get its names, and the document is half as long. */
const referring = (names: ReadonlyMap<string, string>) => {
  const walk = (node: unknown, isTop = false): unknown => {
    if (typeof node !== 'object' || node === null) return node;
    if (Array.isArray(node)) return node.map((item) => walk(item));
    const name = isTop || !('type' in node || 'anyOf' in node) ? undefined : names.get(JSON.stringify(node));
    if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, walk(value)]));
  };
  return walk;
};

export interface Described {
  readonly routes: readonly RouteShape[];
  /** The entities by name. */
  readonly schemas: Readonly<Record<string, z.ZodMiniType>>;
}

/** A body is described as it is sent, with what may be left out; an answer as it comes. */
const entities = ({ routes, schemas }: Described): { names: Map<string, string>; components: Record<string, object> } => {
  const bodies = new Set(routes.map(({ body }) => body));
  const names = new Map<string, string>();
  const components: Record<string, object> = {};
  for (const [name, schema] of Object.entries(schemas)) {
    components[name] = schemaOf(schema, bodies.has(schema) ? 'input' : 'output');
    const text = JSON.stringify(components[name]);
    if (!names.has(text)) names.set(text, name);
  }
  return { names, components };
};

/** The components that are referred to, from the paths or from each other. */
const used = (paths: object, components: Readonly<Record<string, object>>): Record<string, object> => {
  const found = new Set<string>();
  const follow = (node: object): void => {
    for (const [, name = ''] of JSON.stringify(node).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (found.has(name)) continue;
      found.add(name);
      follow(components[name] ?? {});
    }
  };
  follow(paths);
  return Object.fromEntries(Object.entries(components).filter(([name]) => found.has(name)));
};

/** The whole document; `version` is the product's. */
export const openApi = (described: Described, version: string): object => {
  const paths: Record<string, Record<string, object>> = {};
  const { names, components } = entities(described);
  const refer = referring(names);
  for (const route of described.routes) (paths[route.path] ??= {})[route.method.toLowerCase()] = refer(operationOf(route)) as object;
  const referred = Object.fromEntries(Object.entries(components).map(([name, schema]) => [name, refer(schema, true) as object]));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Slipway',
      version,
      description: 'The API of the Slipway developer platform.',
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The platform that this description comes from' }],
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'An access token, or an API token (slw_…)' } },
      schemas: used(paths, { ErrorObject: errorSchema, ...referred }),
    },
  };
};
