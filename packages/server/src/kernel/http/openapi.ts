/** Generates the OpenAPI 3.1 document from the contract's routes. */
import * as z from 'zod/mini';
import { errorCatalogue, generalCodes, type ErrorCode } from '@slipway/contract/kernel/errors.ts';
import { statusOf, type RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { describeRoute, hasDryRun, isWaiting } from './describe-route.ts';

/** Marks entities in a schema until they are replaced by references. */
const NAME = 'x-entity';
type Names = ReadonlyMap<z.core.$ZodType, string>;
type JsonSchema = z.core.JSONSchema.BaseSchema;

const schemaOf = (schema: z.ZodMiniType, io: 'input' | 'output', names: Names): JsonSchema => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
    override: ({ zodSchema, jsonSchema }) => {
      const name = names.get(zodSchema);
      if (name !== undefined) jsonSchema[NAME] = name;
    },
  });
  return rest;
};

/** Describes a parameter that may be repeated as an array. Generators do not support the choice between one value and several. */
const severalOf = (schema: JsonSchema): object => {
  const [item, several] = schema.anyOf ?? [];
  const isChoice = schema.anyOf?.length === 2 && JSON.stringify(several) === JSON.stringify({ type: 'array', items: item });
  return isChoice ? { style: 'form', explode: true, schema: several } : { schema };
};

/** Keeps the booleans. In a query they are words, but generated clients have a type for them. */
const filterBooleans = (properties: NonNullable<JsonSchema['properties']>): NonNullable<JsonSchema['properties']> =>
  Object.fromEntries(Object.entries(properties).filter(([, schema]) => typeof schema === 'object' && schema.type === 'boolean'));

const headerParametersOf = ({ headers }: RouteShape, names: Names): object[] => {
  if (!headers) return [];
  const { properties = {}, required = [] } = schemaOf(headers, 'input', names);
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'header', required: required.includes(name), schema }));
};

const parametersOf = (route: RouteShape, names: Names): object[] => {
  const path = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
  const headers = headerParametersOf(route, names);
  if (!route.query) return [...path, ...headers];
  const { properties = {}, required = [] } = schemaOf(route.query, 'input', names);
  const { properties: parsed = {} } = schemaOf(route.query, 'output', names);
  const query = Object.entries({ ...properties, ...filterBooleans(parsed) }).flatMap(([name, schema]) =>
    typeof schema === 'boolean' ? [] : [{ name, in: 'query', required: required.includes(name), ...severalOf(schema) }],
  );
  return [...path, ...query, ...headers];
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

const contentOf = ({ stream, mediaTypes, response, alsoAs = [] }: RouteShape, names: Names): object => {
  const texts = alsoAs.map((type) => [type, { schema: { type: 'string' } }] as const);
  if (!stream) return response ? { 'application/json': { schema: schemaOf(response, 'output', names) }, ...Object.fromEntries(texts) } : {};
  // The schema describes the decoded value: a map for YAML, anything for images.
  const schemaFor = (type: string) => (stream === 'bytes' ? {} : { type: isYaml(type) ? 'object' : 'string' });
  return Object.fromEntries((mediaTypes ?? [streamTypes[stream]]).map((type) => [type, { schema: schemaFor(type) }]));
};

const bodyOf = (body: z.ZodMiniType, bodyMediaType: string | undefined, names: Names): object => ({
  required: !body.safeParse(undefined).success,
  content: {
    'application/json': { schema: schemaOf(body, 'input', names) },
    ...(bodyMediaType === undefined ? {} : { [bodyMediaType]: { schema: { type: isYaml(bodyMediaType) ? 'object' : 'string' } } }),
  },
});

/** Returns the answers by status: the usual one, the plan of a dry run, and the run of a pipeline that takes too long. */
const answersOf = (route: RouteShape, names: Names, run: z.ZodMiniType): Record<string, object> => {
  const answer = { description: route.summary, content: contentOf(route, names) };
  return {
    [String(statusOf(route))]: answer,
    ...(hasDryRun(route) ? { 200: { ...answer, description: 'The plan, for a dry run' } } : {}),
    ...(isWaiting(route, run) ? { 202: { ...answer, description: 'The run of a pipeline that did not complete in time' } } : {}),
  };
};

const operationOf = (route: RouteShape, names: Names, run: z.ZodMiniType): object => ({
  operationId: route.id,
  summary: route.summary,
  description: describeRoute(route, run),
  tags: [route.tag],
  'x-access': route.access,
  ...(route.access === 'public' ? { security: [] } : {}),
  parameters: parametersOf(route, names),
  ...(route.body ? { requestBody: bodyOf(route.body, route.bodyMediaType, names) } : {}),
  responses: { ...answersOf(route, names, run), ...errorsOf(route) },
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
    code: { type: 'string' },
    message: { type: 'string' },
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

const INT32_MAX = 2 ** 31 - 1;
/**
 * Generators support one type per schema, and null. `["string", "number"]` becomes an `anyOf`. A list or one keyword for the whole list,
 * which is the default, becomes the list.
 */
const withOneType = (schema: Record<string, unknown>): object => {
  const { type, ...untyped } = schema;
  if (Array.isArray(type) && type.filter((one) => one !== 'null').length > 1)
    return { ...untyped, anyOf: type.map((one: unknown) => withOneType({ type: one })) };
  // Generators choose 32 bits for plain numbers, which cannot hold sizes in bytes.
  if (type === 'number' && !('enum' in schema) && !('const' in schema)) return { ...schema, format: 'double' };
  if (type === 'integer' && Number(schema['maximum']) > INT32_MAX) return { ...schema, format: 'int64' };
  // Generated Java turns constant booleans into strings.
  if (type === 'boolean' && 'const' in schema) return { type, description: `Always ${String(schema['const'])}.` };
  const { anyOf, default: word, ...rest } = schema;
  if (typeof word !== 'string' || !Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const [one, several]: readonly Record<string, unknown>[] = anyOf;
  return one?.['const'] === word ? { ...rest, ...several, description: `Leave it out for ${word}.` } : schema;
};

/**
 * Replaces each entity by a reference, so that generated clients get its name and the document is half as long. Entities are identified by
 * schema object, not by text. An entity stays inline if it differs from its component (as a body or as a response).
 */
const referring = (components: Readonly<Record<string, object>>) => {
  const texts = new Map(Object.entries(components).map(([name, schema]) => [name, JSON.stringify(schema)]));
  const walk = (node: unknown, isTop = false): unknown => {
    if (typeof node !== 'object' || node === null) return node;
    if (Array.isArray(node)) return node.map((item) => walk(item));
    const name = !isTop && NAME in node && typeof node[NAME] === 'string' ? node[NAME] : '';
    if (texts.get(name) === JSON.stringify(node)) return { $ref: `#/components/schemas/${name}` };
    return withOneType(Object.fromEntries(Object.entries(node).flatMap(([key, value]) => (key === NAME ? [] : [[key, walk(value)]]))));
  };
  return walk;
};

export interface Described {
  readonly routes: readonly RouteShape[];
  /** Entities by name. */
  readonly schemas: Readonly<Record<string, z.ZodMiniType>>;
  /** Descriptions of the routes' tags. */
  readonly sections: Readonly<Record<string, string>>;
  /** Schema of a pipeline's run. */
  readonly run: z.ZodMiniType;
}

/** Generated Java has an annotation named Schema. */
const RENAMED: Readonly<Record<string, string>> = { Schema: 'StreamingSchema' };

/** A plain string or number gets no name of its own. */
const isBare = (schema: JsonSchema): boolean =>
  Object.keys(schema).every((key) => key === 'type' || key === NAME) && 'type' in schema && schema.type !== 'object';

/** Describes bodies as input, with optional fields, and responses as output. */
const entities = ({ routes, schemas }: Described): { names: Names; components: Record<string, object> } => {
  const bodies = new Set(routes.map(({ body }) => body));
  const names = new Map<z.core.$ZodType, string>();
  for (const [name, schema] of Object.entries(schemas)) if (!names.has(schema)) names.set(schema, RENAMED[name] ?? name);
  const components: Record<string, object> = {};
  for (const schema of new Set(Object.values(schemas))) {
    const name = names.get(schema) ?? '';
    const described = schemaOf(schema, bodies.has(schema) ? 'input' : 'output', names);
    if (!isBare(described)) components[name] = described;
  }
  return { names, components };
};

/** Returns the components referenced from the paths or from other used components. */
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

/** Returns the whole document. `version` is the product's. */
export const openApi = (described: Described, version: string): object => {
  const paths: Record<string, Record<string, object>> = {};
  const { names, components } = entities(described);
  const refer = referring(components);
  for (const route of described.routes)
    (paths[route.path] ??= {})[route.method.toLowerCase()] = refer(operationOf(route, names, described.run)) as object;
  const referred = Object.fromEntries(Object.entries(components).map(([name, schema]) => [name, refer(schema, true) as object]));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Slipway',
      version,
      description: 'The API of the Slipway developer platform. Its support page is `/docs/support/`.',
      // Generators refuse a relative URL here.
      contact: { name: 'Slipway support' },
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The platform that this description comes from' }],
    security: [{ bearer: [] }],
    tags: [...new Set(described.routes.map(({ tag }) => tag))].map((name) => ({ name, description: described.sections[name] })),
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'An access token, or an API token (slw_…)' } },
      schemas: used(paths, { ErrorObject: errorSchema, ...referred }),
    },
  };
};
