/** Schemas over HTTP: fields and texts, versions, the verdict before a change, and the leftovers when a pipeline fails. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { messageOf, type ErrorObject } from '@slipway/contract/kernel/errors.ts';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { pipelineRerun, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { planTextOf, type Plan } from '@slipway/contract/pipeline/plan.ts';
import { schemaSampleView } from '@slipway/contract/streaming/schema-sample.ts';
import { schemaCompatibilityCheck, schemaDraftCheck } from '@slipway/contract/streaming/schema-verdict.ts';
import {
  schemaCreate,
  schemaDelete,
  schemaList,
  schemaUpdate,
  schemaVersionList,
  schemaVersionView,
  schemaView,
  type Schema,
} from '@slipway/contract/streaming/schema.ts';
import { topicCreate } from '@slipway/contract/streaming/topic.ts';
import { PortFailure } from '#ports/failure.ts';
import { errorsOf, testApp, type Request, type TestApp } from '#testing/app.ts';
import { seedApp } from '#testing/fixtures.ts';
import { frame, MemoryRegistry } from '#testing/streaming/memory-registry.ts';
import { MemoryStreaming } from '#testing/streaming/memory-streaming.ts';

let app: TestApp;
const registry = new MemoryRegistry();
const cluster = new MemoryStreaming();
beforeAll(async () => {
  app = await testApp({
    streamingLinks: { schema: 'https://registry.example.com/{env}/subjects/{subject}' },
    adapt: (adapters) => ({ ...adapters, streaming: cluster.port, schemaRegistry: registry.port }),
  });
  await seedApp(app.database.db, { id: 'berth' });
});
afterAll(() => app?.close());

const place = { app: 'berth', env: 'development' };
const content = (...fields: object[]) => JSON.stringify({ fields }, null, 1);
const first = content({ name: 'berth' });
const second = content({ name: 'berth' }, { name: 'tugs', default: 0 });
const breaking = content({ name: 'berth' }, { name: 'tugs' });
const at = (request: Request): Request => ({ ...request, params: { ...place, ...request.params } });
const call = (route: RouteShape, request: Request = {}, actor: 'member' | 'stranger' = 'member') => app.call(actor, route, at(request));
const run = (route: RouteShape, request: Request = {}) => app.run('member', route, at(request));
const named = (schema: string, body?: object): Request => ({ params: { schema }, ...(body ? { body } : {}) });
const view = async (name: string) => (await call(schemaView, named(name))).body as Schema;
const made = async (name: string, more: object = {}): Promise<Schema> => {
  expect(await run(schemaCreate, { body: { name, content: first, ...more } })).toMatchObject({ status: { state: 'COMPLETED' } });
  return view(name);
};
const stepsOf = ({ status }: PipelineRun) => status.steps.map(({ code, state }) => `${code} ${state}`);
const texts = (body: unknown) => (body as ErrorObject).errors.map(({ field, code, context }) => `${field}: ${messageOf(code, context)}`);

describe('schemaCreate', () => {
  test('registers the first version, and its step says the id', async () => {
    const ended = await run(schemaCreate, {
      body: { name: 'berthevent', content: first, environmentClass: 'NONPROD', applicationCode: 'berth' },
    });
    expect(stepsOf(ended)).toEqual([
      'ValidateSchema COMPLETED',
      'RegisterSchema COMPLETED',
      'WaitForSchemaCreation COMPLETED',
      'CreateSchema COMPLETED',
    ]);
    const schema = await view('berthevent');
    expect(schema).toMatchObject({
      name: 'berthevent',
      type: 'AVRO',
      content: first,
      revisionId: 1,
      compatibility: 'BACKWARD',
      applicationCode: 'berth',
      environmentClass: 'development',
      subject: 'berth.berthevent',
      externalLink: 'https://registry.example.com/development/subjects/berth.berthevent',
      state: 'ACTIVE',
      usedBy: [],
      draft: null,
      can: { update: true, delete: true },
    });
    const awaited = ended.status.steps.find(({ code }) => code === 'WaitForSchemaCreation');
    expect(awaited?.message?.context).toMatchObject({ schemaId: schema.id });
    // The id works in the path, too.
    expect(await view(schema.id)).toEqual(schema);
    expect(registry.live('development', 'berth.berthevent')).toMatchObject([{ version: 1, content: first }]);
  });

  test.each([
    ['no name', { name: '' }, 'name: Please provide a schema name'],
    ['capitals', { name: 'Berth' }, 'name: Schema name can only contain lowercase letters'],
    ['a digit', { name: 'berth2' }, 'name: Schema name can only contain lowercase letters'],
    ['a reserved word', { name: 'topics' }, "name: 'topics' is an invalid name"],
    ['an unknown type', { type: 'XML' }, 'type: Please select a schema type'],
    ['no content', { content: ' ' }, 'content: Please provide a schema content'],
    ['no JSON', { content: '{' }, 'content: Content must be valid JSON'],
    ['no schema', { content: '{}' }, 'content: Line 1: A schema has fields'],
    [
      'a reference to nothing',
      { references: [{ name: 'V', resourceId: 'vessel' }] },
      'references.0: There is no schema vessel in this app and environment, or it has no such version',
    ],
    ['another app', { applicationCode: 'cranes' }, 'applicationCode: Application code is not valid'],
    ['another environment', { environmentClass: 'PROD' }, 'environmentClass: Environment class is not valid'],
  ])('refuses %s', async (_, more, expected) => {
    const { status, body } = await call(schemaCreate, { body: { name: 'wrong', content: first, ...more } });
    expect([status, ...texts(body)].map(String)).toEqual(['400', expected]);
  });

  test('takes a name once', async () => {
    await made('once');
    expect(errorsOf(await call(schemaCreate, { body: { name: 'once', content: first } }))).toEqual([
      409,
      'name: SCHEMA_WITH_GIVEN_NAME_ALREADY_EXISTS',
    ]);
  });

  test('Protobuf is no JSON', async () => {
    const answer = await call(schemaCreate, { body: { name: 'proto', type: 'PROTOBUF', content: 'message A {}' } });
    expect(texts(answer.body)).toEqual(['content: Line 1: It is no JSON']);
  });

  test('a dry run says what would be registered, and changes nothing', async () => {
    const { status, body } = await call(schemaCreate, { query: { dryRun: true }, body: { name: 'dry', content: first } });
    expect(status).toBe(200);
    expect((body as Plan).consequences.map(planTextOf)).toEqual(['Registers dry as version 1 of berth.dry, with the level Backward.']);
    expect(errorsOf(await call(schemaView, named('dry')))).toEqual([404, 'undefined: SchemaDoesNotExist']);
  });

  test('a subject of somebody else is not touched, and a re-run works once it is free', async () => {
    await registry.port.register('development', 'berth.foreign', { type: 'AVRO', content: second });
    const body = { name: 'foreign', content: first };
    expect(errorsOf(await call(schemaCreate, { body }))).toEqual([409, 'name: SubjectBelongsToOthers']);
    expect(errorsOf(await call(schemaView, named('foreign')))).toEqual([404, 'undefined: SchemaDoesNotExist']);
    // If the registry does not answer during the request, the pipeline detects the conflict.
    const unasked = vi.spyOn(registry.port, 'versions').mockRejectedValueOnce(new PortFailure('unavailable', 'away'));
    const failed = await run(schemaCreate, { body });
    unasked.mockRestore();
    expect(failed.status.steps.find(({ state }) => state === 'FAILED')).toMatchObject({
      code: 'ValidateSchema',
      message: { code: 'SubjectBelongsToOthers' },
    });
    expect(registry.live('development', 'berth.foreign')).toMatchObject([{ content: second }]);
    expect(await view('foreign')).toMatchObject({ state: 'NOT_CREATED', can: { update: 'SchemaNotCreated', delete: true } });
    await registry.port.remove('development', 'berth.foreign', { isPermanent: true });
    expect(await run(pipelineRerun, { params: { pipelineId: failed.pipelineId } })).toMatchObject({ status: { state: 'COMPLETED' } });
    expect(await view('foreign')).toMatchObject({ state: 'ACTIVE', revisionId: 1 });
  });

  test('waits while the registry is away', async () => {
    registry.isAway = true;
    const { body } = await call(schemaCreate, { body: { name: 'later', content: first } });
    registry.isAway = false;
    expect(await app.ended((body as PipelineRun).pipelineId)).toMatchObject({ status: { state: 'COMPLETED' } });
  });

  test('members alone make one; everybody reads it', async () => {
    expect(errorsOf(await call(schemaCreate, { body: { name: 'strange', content: first } }, 'stranger'))).toEqual([
      403,
      'undefined: NotAMember',
    ]);
    const { body } = await call(schemaView, named('berthevent'), 'stranger');
    expect(body).toMatchObject({ content: first, can: { update: 'NotAMember', delete: 'NotAMember' } });
  });
});

describe('schemaUpdate', () => {
  test('registers a version for itself and for the topic that uses it; the second step says the id', async () => {
    const schema = await made('shared');
    const topic = {
      name: 'shared',
      description: 'Shared',
      spec: { valueSchema: { resourceId: schema.id, resourceType: 'SCHEMA', applicationCode: 'berth' } },
    };
    expect(await run(topicCreate, { body: topic })).toMatchObject({ status: { state: 'COMPLETED' } });
    const body = { content: second, revisionId: 1 };
    const { body: plan } = await call(schemaUpdate, { ...named('shared', body), query: { dryRun: true } });
    expect((plan as Plan).consequences.map(planTextOf)).toEqual([
      'Registers a new version of berth.shared.',
      'Registers a new version of berth.shared-value.',
    ]);
    const ended = await run(schemaUpdate, named('shared', body));
    expect(stepsOf(ended)).toEqual(['CheckCompatibility COMPLETED', 'RegisterSchema COMPLETED', 'UpdateSchema COMPLETED']);
    expect(ended.status.steps[1]?.message?.context).toMatchObject({ schemaId: schema.id, version: '2' });
    expect(await view('shared')).toMatchObject({
      content: second,
      revisionId: 2,
      draft: null,
      usedBy: [{ topic: 'shared', part: 'value' }],
    });
    expect(registry.live('development', 'berth.shared-value').map((one) => one.content)).toEqual([first, second]);
    const { body: versions } = await call(schemaVersionList, named('shared'));
    expect((versions as Page<unknown>).content).toMatchObject([
      { revisionId: 2, isNewest: true, createdBy: { id: 'mats' } },
      { revisionId: 1, isNewest: false },
    ]);
    expect((await call(schemaVersionView, { params: { schema: 'shared', version: '1' } })).body).toMatchObject({
      content: first,
      type: 'AVRO',
    });
    expect(errorsOf(await call(schemaVersionView, { params: { schema: 'shared', version: '9' } }))).toEqual([
      404,
      'undefined: SchemaVersionDoesNotExist',
    ]);
  });

  test('a stale version changes nothing, and the newest is named', async () => {
    const { status, body } = await call(schemaUpdate, named('shared', { content: first, revisionId: 1 }));
    expect([status, ...texts(body)]).toEqual([
      409,
      'revisionId: Somebody saved version 2 meanwhile. Look at what is different now, then save again.',
    ]);
  });

  test('what breaks readers is refused with the line, before any pipeline', async () => {
    await made('broken');
    const { status, body } = await call(schemaUpdate, named('broken', { content: breaking, revisionId: 1 }));
    expect([status, ...texts(body)]).toEqual([409, 'content: Line 7: tugs has no default (berth.broken, level BACKWARD)']);
    expect(await run(schemaUpdate, named('broken', { content: breaking, revisionId: 1, compatibility: 'NONE' }))).toMatchObject({
      status: { state: 'COMPLETED' },
    });
    expect(await view('broken')).toMatchObject({ revisionId: 2, compatibility: 'NONE' });
    expect(registry.levels.get('development/berth.broken')).toBe('NONE');
  });

  test('the level alone can be changed; nothing at all cannot', async () => {
    await made('level');
    expect(errorsOf(await call(schemaUpdate, named('level', { content: first, revisionId: 1 })))).toEqual([
      409,
      'undefined: NothingChanged',
    ]);
    await run(schemaUpdate, named('level', { content: first, revisionId: 1, compatibility: 'FULL' }));
    expect(await view('level')).toMatchObject({ revisionId: 1, compatibility: 'FULL' });
    expect((await call(schemaVersionList, named('level'))).body).toMatchObject({ totalElements: 1 });
  });

  test('a content that an older version has is refused by its number', async () => {
    const answer = await call(schemaUpdate, named('shared', { content: first, revisionId: 2, compatibility: 'BACKWARD' }));
    expect(errorsOf(answer)).toEqual([409, 'content: SchemaVersionExists']);
  });
});

describe('the verdict', () => {
  test('says place, reason, and who is affected', async () => {
    const { body } = await call(schemaCompatibilityCheck, named('shared', { content: content({ name: 'berth' }, { name: 'kind' }) }));
    expect(body).toMatchObject({
      state: 'INCOMPATIBLE',
      level: 'BACKWARD',
      revisionId: 2,
      issues: [{ code: 'READER_FIELD_MISSING_DEFAULT_VALUE', line: 7, subject: 'berth.shared', revisionId: 2 }],
      fields: 2,
      affected: { topics: [{ topic: 'shared', part: 'value' }], accounts: [] },
    });
  });
  test('of a draft that is the newest, at level NONE, of no schema, and while the registry is away', async () => {
    const check = async (body: object) => (await call(schemaCompatibilityCheck, named('shared', body))).body;
    expect(await check({ content: second })).toMatchObject({ state: 'COMPATIBLE', isSame: true });
    expect(await check({ content: breaking, compatibility: 'NONE' })).toMatchObject({ state: 'NOT_CHECKED', reason: 'LEVEL_NONE' });
    expect(await check({ content: '{}' })).toMatchObject({ state: 'INVALID', problems: [{ line: 1, message: 'A schema has fields' }] });
    registry.isAway = true;
    expect(await check({ content: second })).toMatchObject({ state: 'NOT_CHECKED', reason: 'REGISTRY_UNAVAILABLE' });
    registry.isAway = false;
    expect((await call(schemaDraftCheck, { body: { content: first } })).body).toMatchObject({
      state: 'NOT_CHECKED',
      reason: 'FIRST_VERSION',
      fields: 1,
    });
  });
});

describe('schemaDelete', () => {
  test('what a topic or another schema uses stays, and the topics are named', async () => {
    const { status, body } = await call(schemaDelete, named('shared'));
    expect(status).toBe(409);
    expect((body as ErrorObject).errors).toMatchObject([
      { code: 'SCHEMA_IS_REFERENCED_BY_TOPICS', context: { topics: 'berth.shared (value)' } },
    ]);
    await made('vessel');
    await made('visit', { references: [{ name: 'Vessel', resourceId: 'vessel' }] });
    expect(await view('visit')).toMatchObject({ references: [{ schema: 'vessel', revisionId: 1 }] });
    expect(await view('vessel')).toMatchObject({ referencedBy: ['visit'], can: { delete: 'SchemaIsReferencedBySchemas' } });
    expect(errorsOf(await call(schemaDelete, named('vessel')))).toEqual([409, 'undefined: SchemaIsReferencedBySchemas']);
  });
  test('what it refers to is changed alone, and the same again is no change', async () => {
    await made('pilot');
    const { content: text } = await made('call', { references: [{ name: 'Vessel', resourceId: 'vessel' }] });
    const body = { content: text, revisionId: 1, references: [{ name: 'Vessel', resourceId: 'vessel' }] };
    expect(errorsOf(await call(schemaUpdate, named('call', body)))).toEqual([409, 'undefined: NothingChanged']);
    await run(schemaUpdate, named('call', { ...body, references: [...body.references, { name: 'Pilot', resourceId: 'pilot' }] }));
    expect(await view('call')).toMatchObject({ references: [{ schema: 'vessel' }, { schema: 'pilot' }], draft: null });
    expect(await view('pilot')).toMatchObject({ referencedBy: ['call'] });
  });
  test('stops before the subject if a topic uses the schema by then', async () => {
    const { id } = await made('late');
    const refused = vi.spyOn(registry.port, 'remove').mockRejectedValueOnce(new PortFailure('rejected', 'Not now'));
    const failed = await run(schemaDelete, named('late'));
    refused.mockRestore();
    expect(stepsOf(failed)[0]).toBe('DeleteSubjects FAILED');
    const { db } = app.database;
    await db.updateTable('topic').set({ key_schema_id: id }).where('name', '=', 'shared').execute();
    const again = await run(pipelineRerun, { params: { pipelineId: failed.pipelineId } });
    await db.updateTable('topic').set({ key_schema_id: null }).where('name', '=', 'shared').execute();
    expect(again.status.steps[0]?.message).toMatchObject({ code: 'SCHEMA_IS_REFERENCED_BY_TOPICS', context: { schemaId: id } });
    expect(registry.live('development', 'berth.late')).not.toEqual([]);
  });
  test('takes the subject away', async () => {
    await made('gone');
    expect(stepsOf(await run(schemaDelete, named('gone')))).toEqual(['DeleteSubjects COMPLETED', 'DeleteSchema COMPLETED']);
    expect(registry.live('development', 'berth.gone')).toEqual([]);
    expect(errorsOf(await call(schemaView, named('gone')))).toEqual([404, 'undefined: SchemaDoesNotExist']);
  });
});

test('a sample says with which versions the newest messages were written', async () => {
  const { id, registryId } = await made('sampled');
  const sample = async () => (await call(schemaSampleView, named('sampled'))).body;
  expect(await sample()).toMatchObject({ messages: 0, topics: [], versions: [], other: 0, none: 0, isPartial: false });
  const spec = { valueSchema: { resourceId: id, resourceType: 'SCHEMA', applicationCode: 'berth' } };
  await run(topicCreate, { body: { name: 'sampled', description: 'Sampled', spec } });
  const write = (value: Uint8Array | null) => cluster.produce('berth.sampled', { key: null, value });
  for (const berth of ['C01', 'C02', 'C03']) write(frame(registryId ?? 0, { berth }));
  await run(schemaUpdate, named('sampled', { content: second, revisionId: 1 }));
  write(frame((await view('sampled')).registryId ?? 0, { berth: 'C04', tugs: 2 }));
  write(frame(9999, {}));
  write(Buffer.from('plain'));
  // Tombstones are not counted.
  write(null);
  expect(await sample()).toMatchObject({
    messages: 6,
    topics: [{ topic: 'sampled', part: 'value', messages: 6 }],
    versions: [
      { revisionId: 2, messages: 1 },
      { revisionId: 1, messages: 3 },
    ],
    other: 1,
    none: 1,
  });
  cluster.topics.delete('berth.sampled');
  expect(await sample()).toMatchObject({ messages: 0, topics: [{ topic: 'sampled', messages: 0 }] });
});

test('the list narrows to what is ready', async () => {
  const list = async (query: Record<string, unknown>) =>
    ((await call(schemaList, { query })).body as Page<Schema>).content.map(({ name }) => name);
  expect(await list({ query: 'shar' })).toEqual(['shared']);
  await registry.port.register('development', 'berth.unready', { type: 'AVRO', content: second });
  const unasked = vi.spyOn(registry.port, 'versions').mockRejectedValueOnce(new PortFailure('unavailable', 'away'));
  await run(schemaCreate, { body: { name: 'unready', content: first } });
  unasked.mockRestore();
  expect(await list({ query: 'unready' })).toEqual(['unready']);
  expect(await list({ query: 'unready', readyOnly: true })).toEqual([]);
});
