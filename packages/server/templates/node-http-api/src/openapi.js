// The OpenAPI document, made from the list of routes.
import { about } from './about.js';
import { routes } from './routes.js';

const text = { type: 'string', minLength: 1, maxLength: 60 };
const fields = {
  name: text,
  quay: text,
  lengthMetres: { type: 'number', minimum: 5, maximum: 500 },
  depthMetres: { type: 'number', minimum: 1, maximum: 40 },
};
const NewBerth = { type: 'object', properties: fields, required: Object.keys(fields), additionalProperties: false };
const Berth = {
  type: 'object',
  properties: { id: { type: 'string', format: 'uuid' }, ...fields, createdAt: { type: 'string', format: 'date-time' } },
  required: ['id', ...Object.keys(fields), 'createdAt'],
};
const Problem = {
  type: 'object',
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    errors: { type: 'array', items: { type: 'object', properties: { field: { type: 'string' }, message: { type: 'string' } } } },
  },
};

const json = (schema) => ({ 'application/json': { schema } });
const ref = (name) => ({ $ref: `#/components/schemas/${name}` });
const answers = {
  berthList: { 200: { description: 'The berths', content: json({ type: 'object', properties: { berths: { type: 'array', items: ref('Berth') } } }) } },
  berthCreate: { 201: { description: 'The new berth', content: json(ref('Berth')) } },
  berthView: { 200: { description: 'The berth', content: json(ref('Berth')) } },
  berthDelete: { 204: { description: 'The berth is gone' } },
};
const parameters = {
  berthList: [{ name: 'minLengthMetres', in: 'query', schema: { type: 'number', minimum: 0 } }],
};
const pathParameter = (name) => ({ name, in: 'path', required: true, schema: { type: 'string' } });

const operation = ({ id, summary, method, path }) => ({
  operationId: id,
  summary,
  parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => pathParameter(name)).concat(parameters[id] ?? []),
  ...(method === 'POST' ? { requestBody: { required: true, content: json(ref('NewBerth')) } } : {}),
  responses: { ...answers[id], default: { description: 'What went wrong', content: { 'application/problem+json': { schema: ref('Problem') } } } },
});

const paths = {};
for (const route of routes) paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) };

export const openapi = {
  openapi: '3.1.0',
  info: { title: about.title, version: about.version },
  paths,
  components: { schemas: { Berth, NewBerth, Problem } },
};
