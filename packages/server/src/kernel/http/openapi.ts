/** OpenAPI 3.1 out of the contract's routes. */
import * as z from 'zod/mini';
import { errorCatalogue, generalCodes, type ErrorCode } from '@slipway/contract/errors.ts';
import { statusOf, type RouteShape } from '@slipway/contract/kernel.ts';

const schemaOf = (schema: z.ZodMiniType, io: 'input' | 'output'): object => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', target: 'draft-2020-12' }) as Record<
    string,
    unknown
  >;
  return rest;
};

const parametersOf = (route: RouteShape): object[] => {
  const path = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
  if (!route.query) return path;
  const { properties = {}, required = [] } = schemaOf(route.query, 'input') as { properties?: Record<string, object>; required?: string[] };
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

const contentOf = (route: RouteShape): object => {
  if (route.stream === 'events') return { 'text/event-stream': { schema: { type: 'string' } } };
  if (route.stream === 'text') return { 'text/plain': { schema: { type: 'string' } } };
  if (route.stream === 'bytes') return { '*/*': { schema: { type: 'string', format: 'binary' } } };
  return route.response ? { 'application/json': { schema: schemaOf(route.response, 'output') } } : {};
};

const operationOf = (route: RouteShape): object => ({
  operationId: route.id,
  summary: route.summary,
  tags: [route.tag],
  'x-access': route.access,
  ...(route.access === 'public' ? { security: [] } : {}),
  parameters: parametersOf(route),
  ...(route.body ? { requestBody: { required: true, content: { 'application/json': { schema: schemaOf(route.body, 'input') } } } } : {}),
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

/** The whole document; `version` is the product's. */
export const openApi = (routes: readonly RouteShape[], version: string): object => {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) (paths[route.path] ??= {})[route.method.toLowerCase()] = operationOf(route);
  return {
    openapi: '3.1.0',
    info: { title: 'Slipway', version, description: 'The API of the Slipway developer platform.' },
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'An access token, or an API token (slw_…)' } },
      schemas: { ErrorObject: errorSchema },
    },
  };
};
