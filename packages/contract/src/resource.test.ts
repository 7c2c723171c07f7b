/** Routes of a resource: with pipelines, with synchronous writes, and with omitted routes. */
import * as z from 'zod/mini';
import { expect, test } from 'vitest';
import { teamKind } from './kinds/team.kind.ts';
import { resources, routes } from './routes.ts';
import { PageQuery } from './kernel/fields.ts';
import { statusOf } from './kernel/kernel.ts';
import { synchronous, changesOf, isByPipeline, keepOmitted, resource, resourceRoutes } from './resource.ts';

const View = z.object({ name: z.string() });
const made = resource({
  kind: teamKind,
  id: 'barge',
  path: '/api/v1/apps/{app}/barges',
  name: 'barge',
  view: View,
  create: View,
  update: z.object({}),
  query: PageQuery,
  access: { read: 'appMember', create: 'appMember', write: 'appOwner' },
  codes: { above: ['ApplicationDoesNotExists'], missing: 'MISSING_RESOURCE', taken: 'InvalidName', form: ['Required'], kept: [] },
});

test('writes are carried out by a pipeline, which may be at work already', () => {
  for (const write of [made.create, made.update, made.remove]) {
    expect([isByPipeline(write), statusOf(write)]).toEqual([true, 202]);
    expect(write.codes).toContain('WorkflowExecutionAlreadyStarted');
  }
  expect(made.remove.codes).toEqual(expect.arrayContaining(['ApplicationDoesNotExists', 'MISSING_RESOURCE', 'NotAnOwner']));
});

test('a write at once answers what it wrote, or nothing, and waits for no pipeline', () => {
  const writes = [synchronous(made.create, View), synchronous(made.update, View), synchronous(made.remove)];
  expect(writes.map((write) => [statusOf(write), 'response' in write && write.response === View])).toEqual([
    [201, true],
    [200, true],
    [204, false],
  ]);
  for (const write of writes) {
    expect(isByPipeline(write)).toBe(false);
    expect(write.codes).not.toContain('WorkflowExecutionAlreadyStarted');
  }
  expect(writes[0]).toMatchObject({ id: 'bargeCreate', method: 'POST', path: '/api/v1/apps/{app}/barges', access: 'appMember' });
});

test('a resource may leave routes out, and its routes are those of the contract', () => {
  expect(resourceRoutes({ shape: made.shape, create: made.create })).toEqual([made.create]);
  const declared = resources.flatMap(resourceRoutes);
  expect(declared.filter((one) => !routes.includes(one))).toEqual([]);
  const ids = declared.map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining(['teamList', 'applicationUpdate', 'secretGroupDelete', 'robotAccountCreate', 'meTokenList']));
  expect(ids).not.toContain('meTokenView');
});

test('an update keeps the fields that it omits, and takes the others', () => {
  const body = changesOf({ name: z.string(), tags: z._default(z.array(z.string()), []), limit: z._default(z.nullable(z.number()), 3) });
  expect(body.parse({ name: 'one' })).toEqual({ name: 'one' });
  expect(body.safeParse({}).error?.issues.map(({ path }) => path)).toEqual([['name']]);
  expect(keepOmitted({ tags: ['a'], limit: 4 }, body.parse({ name: 'one', limit: null }))).toEqual({
    name: 'one',
    tags: ['a'],
    limit: null,
  });
});

test('no field in the body of a PUT or a PATCH has a default: it would set what the caller did not name', () => {
  const defaults = (schema: unknown, path: string): string[] => {
    if (schema instanceof z.ZodMiniDefault) return [path];
    if (schema instanceof z.ZodMiniOptional || schema instanceof z.ZodMiniNullable) return defaults(schema.def.innerType, path);
    if (!(schema instanceof z.ZodMiniObject)) return [];
    return Object.entries<unknown>({ ...schema.shape }).flatMap(([name, field]) => defaults(field, `${path}.${name}`));
  };
  const updates = routes.filter(({ method }) => method === 'PUT' || method === 'PATCH');
  expect(updates.length).toBeGreaterThan(15);
  expect(updates.flatMap(({ id, body }) => defaults(body, id))).toEqual([]);
});
