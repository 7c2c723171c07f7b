/** Every endpoint of the HTTP API and every error code, as Confluent's clients expect them. */
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startSchemaRegistry, type SchemaRegistryFixture } from '../schema-registry.fixture.ts';

let fixture: SchemaRegistryFixture;
let subject: string;
let count = 0;
beforeAll(async () => {
  fixture = await startSchemaRegistry();
});
afterAll(() => fixture.stop());
beforeEach(() => {
  subject = `berth.rest${++count}-value`;
});

const record = (...fields: readonly object[]): string => JSON.stringify({ type: 'record', name: 'Berth', fields });
const id = { name: 'id', type: 'string' };
const note = { name: 'note', type: 'string', default: '' };
const must = { name: 'must', type: 'string' };
const v1 = { schema: record(id) };
const v2 = { schema: record(id, note) };
const broken = { schema: record(id, must) };

interface Asked {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}
const send = (method: string, path: string, { body, headers }: Asked = {}, base = fixture.url): Promise<Response> =>
  fetch(`${base}${path}`, {
    method,
    headers: {
      authorization: 'Bearer writer',
      ...(body === undefined ? {} : { 'content-type': 'application/vnd.schemaregistry.v1+json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
/** Returns the status and the body, or only the code if the body is an error. */
const ask = async (method: string, path: string, body?: unknown, asked: Asked = {}): Promise<[number, unknown]> => {
  const answer = await send(method, path, { body, ...asked });
  const text = await answer.text();
  const said: unknown = text === '' ? undefined : JSON.parse(text);
  if (answer.ok) return [answer.status, said];
  expect(said).toEqual({ error_code: expect.any(Number) as number, message: expect.stringMatching(/\S/) as string });
  return [answer.status, (said as { error_code: number }).error_code];
};
const register = async (body: object, at = subject): Promise<number> => {
  const [status, made] = await ask('POST', `/subjects/${encodeURIComponent(at)}/versions`, body);
  expect([status, made]).toEqual([200, { id: expect.any(Number) as number, version: expect.any(Number) as number }]);
  return (made as { id: number }).id;
};

describe('subjects and versions', () => {
  test('registering, reading, looking up', async () => {
    const first = await register(v1);
    expect(await register(v1)).toBe(first);
    const second = await register(v2);
    const base = `/subjects/${subject}`;
    expect(await ask('GET', `/subjects?subjectPrefix=${subject}`)).toEqual([200, [subject]]);
    expect(await ask('GET', `${base}/versions`)).toEqual([200, [1, 2]]);
    expect(await ask('GET', `${base}/versions?offset=1&limit=5`)).toEqual([200, [2]]);
    expect(await ask('GET', `${base}/versions/1`)).toEqual([200, { subject, version: 1, id: first, ...v1 }]);
    for (const newest of ['2', 'latest', '-1'])
      expect(await ask('GET', `${base}/versions/${newest}`)).toMatchObject([200, { version: 2, id: second }]);
    expect(await (await send('GET', `${base}/versions/1/schema`)).text()).toBe(v1.schema);
    expect(await ask('POST', base, v1)).toEqual([200, { subject, version: 1, id: first, ...v1 }]);
    expect(await ask('POST', `${base}?normalize=true`, { schema: JSON.stringify(JSON.parse(v1.schema), undefined, 4) })).toMatchObject([
      200,
      { version: 1 },
    ]);
  });

  test('what is not there', async () => {
    await register(v1);
    const base = `/subjects/${subject}`;
    expect(await ask('GET', '/subjects/none/versions')).toEqual([404, 40401]);
    expect(await ask('GET', '/subjects/none/versions/1')).toEqual([404, 40401]);
    expect(await ask('GET', '/subjects/none/versions/latest')).toEqual([404, 40401]);
    expect(await ask('GET', `${base}/versions/7`)).toEqual([404, 40402]);
    expect(await ask('POST', '/subjects/none', v1)).toEqual([404, 40401]);
    expect(await ask('POST', base, v2)).toEqual([404, 40403]);
    expect(await ask('DELETE', '/subjects/none')).toEqual([404, 40401]);
    expect(await ask('DELETE', `${base}/versions/7`)).toEqual([404, 40402]);
    expect(await ask('GET', '/subjects/none/versions/1/referencedby')).toEqual([404, 40401]);
  });

  test('what is refused', async () => {
    await register(v1);
    const versions = `/subjects/${subject}/versions`;
    expect(await ask('POST', versions, broken)).toEqual([409, 409]);
    expect(await ask('POST', versions, { schema: '{"type": "nothing"}' })).toEqual([422, 42201]);
    expect(await ask('POST', `/subjects/${subject}`, { schema: '{"type": "nothing"}' })).toEqual([422, 42201]);
    expect(await ask('POST', versions, { ...v1, schemaType: 'THRIFT' })).toEqual([422, 42201]);
    expect(await ask('POST', versions, { ...v1, references: [{ name: 'X', subject: 'none', version: 1 }] })).toEqual([422, 42201]);
    expect(await ask('POST', versions, {})).toEqual([422, 422]);
    expect(await ask('POST', versions, { ...v1, ruleSet: { domainRules: [] } })).toEqual([422, 42210]);
    expect(await ask('POST', versions, { ...v1, ruleSet: null, metadata: null })).toMatchObject([200, {}]);
    for (const wrong of ['0', '-2', 'newest', '2147483648']) expect(await ask('GET', `${versions}/${wrong}`)).toEqual([422, 42202]);
    for (const wrong of ['%00', '%ED%A0%80', ':.ctx:a', 'x'.repeat(513)])
      expect(await ask('POST', `/subjects/${wrong}/versions`, v1)).toEqual(wrong === '%ED%A0%80' ? [400, 400] : [422, 42208]);
  });

  test('deleted softly, then for ever', async () => {
    const made = await register(v1);
    await register(v2);
    const base = `/subjects/${subject}`;
    expect(await ask('DELETE', `${base}?permanent=true`)).toEqual([404, 40405]);
    expect(await ask('DELETE', `${base}/versions/2?permanent=true`)).toEqual([404, 40407]);
    expect(await ask('DELETE', `${base}/versions/2`)).toEqual([200, 2]);
    expect(await ask('DELETE', `${base}/versions/2`)).toEqual([404, 40406]);
    expect(await ask('GET', `${base}/versions`)).toEqual([200, [1]]);
    expect(await ask('GET', `${base}/versions?deleted=true`)).toEqual([200, [1, 2]]);
    expect(await ask('GET', `${base}/versions?deletedOnly=true`)).toEqual([200, [2]]);
    expect(await ask('GET', `${base}/versions/2`)).toEqual([404, 40402]);
    expect(await ask('GET', `${base}/versions/2?deleted=true`)).toMatchObject([200, { version: 2, deleted: true }]);
    expect(await ask('POST', base, v2)).toEqual([404, 40403]);
    expect(await ask('POST', `${base}?deleted=true`, v2)).toMatchObject([200, { version: 2 }]);
    // Registering it again creates a new version with the old id.
    const [, again] = await ask('POST', `${base}/versions`, v2);
    expect(again).toMatchObject({ version: 3 });
    expect(await ask('DELETE', base)).toEqual([200, [1, 3]]);
    expect(await ask('DELETE', base)).toEqual([404, 40404]);
    expect(await ask('GET', `/subjects?subjectPrefix=${subject}`)).toEqual([200, []]);
    expect(await ask('GET', `/subjects?subjectPrefix=${subject}&deleted=true`)).toEqual([200, [subject]]);
    expect(await ask('DELETE', `${base}/versions/3?permanent=true`)).toEqual([200, 3]);
    expect(await ask('DELETE', `${base}?permanent=true`)).toEqual([200, [1, 2]]);
    expect(await ask('DELETE', `${base}?permanent=true`)).toEqual([404, 40401]);
    // Another test's subject has the same content, so the id is kept.
    expect(await ask('GET', `/schemas/ids/${made}`)).toMatchObject([200, {}]);
  });

  test('references', async () => {
    const vessel = { schema: JSON.stringify({ type: 'record', name: `Vessel${count}`, fields: [id] }) };
    const vesselId = await register(vessel, `${subject}.vessel`);
    const references = [{ name: `Vessel${count}`, subject: `${subject}.vessel`, version: 1 }];
    const call = { schema: JSON.stringify({ type: 'record', name: 'Call', fields: [{ name: 'vessel', type: `Vessel${count}` }] }) };
    expect(await ask('POST', `/subjects/${subject}/versions`, call)).toEqual([422, 42201]);
    const callId = await register({ ...call, references });
    expect(await register({ ...call, references: [{ ...references[0], version: -1 }] })).toBe(callId);
    expect(await ask('GET', `/subjects/${subject}/versions/1`)).toEqual([200, { subject, version: 1, id: callId, references, ...call }]);
    expect(await ask('GET', `/schemas/ids/${callId}`)).toEqual([200, { references, ...call }]);
    expect(await ask('GET', `/subjects/${subject}.vessel/versions/latest/referencedby`)).toEqual([200, [callId]]);
    expect(await ask('DELETE', `/subjects/${subject}.vessel`)).toEqual([422, 42206]);
    expect(await ask('DELETE', `/subjects/${subject}.vessel/versions/1`)).toEqual([422, 42206]);
    // A soft-deleted version still needs its references.
    expect(await ask('DELETE', `/subjects/${subject}`)).toEqual([200, [1]]);
    expect(await ask('DELETE', `/subjects/${subject}.vessel`)).toEqual([200, [1]]);
    expect(await ask('DELETE', `/subjects/${subject}.vessel?permanent=true`)).toEqual([422, 42206]);
    expect(await ask('DELETE', `/subjects/${subject}?permanent=true`)).toEqual([200, [1]]);
    expect(await ask('DELETE', `/subjects/${subject}.vessel?permanent=true`)).toEqual([200, [1]]);
    expect(await ask('GET', `/schemas/ids/${vesselId}`)).toEqual([404, 40403]);
    // Ids are never reused.
    expect(await register(vessel, `${subject}.vessel`)).toBeGreaterThan(callId);
  });
});

describe('schemas by id', () => {
  test('content, subjects, versions', async () => {
    const made = await register({ schema: `{"type":"record","name":"Only${count}","fields":[]}` });
    await register({ schemaType: 'JSON', schema: `{"title":"t${count}","type":"object"}` }, `${subject}.json`);
    const path = `/schemas/ids/${made}`;
    expect(await ask('GET', path)).toEqual([200, { schema: `{"type":"record","name":"Only${count}","fields":[]}` }]);
    expect(await ask('GET', `${path}?fetchMaxId=true`)).toMatchObject([200, { maxId: made + 1 }]);
    expect(await (await send('GET', `${path}/schema`)).text()).toContain(`Only${count}`);
    expect(await ask('GET', `${path}/subjects`)).toEqual([200, [subject]]);
    expect(await ask('GET', `${path}/versions`)).toEqual([200, [{ subject, version: 1 }]]);
    expect(await ask('GET', `/schemas/ids/${made + 1}`)).toMatchObject([200, { schemaType: 'JSON' }]);
    for (const none of ['999999', '0', '-1', 'x', '9999999999']) expect(await ask('GET', `/schemas/ids/${none}`)).toEqual([404, 40403]);
    await ask('DELETE', `/subjects/${subject}`);
    expect(await ask('GET', path)).toMatchObject([200, {}]);
    expect(await ask('GET', `${path}/subjects`)).toEqual([200, []]);
    expect(await ask('GET', `${path}/subjects?deleted=true`)).toEqual([200, [subject]]);
  });

  test('Protobuf as a descriptor, for clients without a parser', async () => {
    const schema = `syntax = "proto3"; package quay; import "google/protobuf/timestamp.proto"; message Call { string id = 1; google.protobuf.Timestamp at = 2; }`;
    const made = await register({ schemaType: 'PROTOBUF', schema });
    for (const path of [`/schemas/ids/${made}`, `/subjects/${subject}/versions/1`]) {
      const [, body] = await ask('GET', `${path}?format=serialized`);
      const file = fromBinary(FileDescriptorProtoSchema, Buffer.from((body as { schema: string }).schema, 'base64'));
      expect(file).toMatchObject({ package: 'quay', dependency: ['google/protobuf/timestamp.proto'], messageType: [{ name: 'Call' }] });
      expect(await ask('GET', `${path}?format=unheard-of`)).toMatchObject([200, { schema }]);
    }
  });

  test('everything at once, in pages', async () => {
    await register(v1, `${subject}.a`);
    await register(v2, `${subject}.a`);
    await register(v1, `${subject}.b`);
    const path = `/schemas?subjectPrefix=${subject}.`;
    const places = async (query = ''): Promise<unknown> => {
      const [, found] = await ask('GET', `${path}${query}`);
      return (found as { subject: string; version: number }[]).map((one) => `${one.subject.slice(subject.length + 1)} ${one.version}`);
    };
    expect(await places()).toEqual(['a 1', 'a 2', 'b 1']);
    expect(await places('&latestOnly=true')).toEqual(['a 2', 'b 1']);
    expect(await places('&offset=1&limit=1')).toEqual(['a 2']);
    await ask('DELETE', `/subjects/${subject}.a/versions/2`);
    expect(await places('&latestOnly=true')).toEqual(['a 1', 'b 1']);
    expect(await places('&deletedOnly=true')).toEqual(['a 2']);
    expect(await ask('GET', '/schemas?limit=many')).toEqual([422, 422]);
    expect(await ask('GET', '/schemas/types')).toEqual([200, ['JSON', 'PROTOBUF', 'AVRO']]);
    expect(await ask('GET', '/contexts')).toEqual([200, ['.']]);
    expect(await ask('GET', '/')).toEqual([200, {}]);
    expect(await ask('GET', '')).toEqual([200, {}]);
  });
});

describe('compatibility', () => {
  test('of one version, and of those that the level asks for', async () => {
    await register(v1);
    await register(v2);
    const path = `/compatibility/subjects/${subject}/versions`;
    expect(await ask('POST', `${path}/latest`, v1)).toEqual([200, { is_compatible: true }]);
    expect(await ask('POST', `${path}/1`, broken)).toEqual([200, { is_compatible: false }]);
    const [, verbose] = await ask('POST', `${path}/1?verbose=true`, broken);
    expect(verbose).toEqual({ is_compatible: false, messages: [expect.stringContaining('READER_FIELD_MISSING_DEFAULT_VALUE') as string] });
    expect(await ask('POST', path, { schema: record(id, { name: 'note', type: 'string' }) })).toEqual([200, { is_compatible: true }]);
    await ask('PUT', `/config/${subject}`, { compatibility: 'backward_transitive' });
    expect(await ask('POST', path, { schema: record(id, { name: 'note', type: 'string' }) })).toEqual([200, { is_compatible: false }]);
    expect(await ask('POST', `${path}/7`, v1)).toEqual([404, 40402]);
    expect(await ask('POST', `${path}/x`, v1)).toEqual([422, 42202]);
    expect(await ask('POST', `${path}/latest`, { schema: '{' })).toEqual([422, 42201]);
    expect(await ask('POST', `${path}/latest?verbose=true`, { schema: '{' })).toMatchObject([200, { is_compatible: false }]);
    expect(await ask('POST', '/compatibility/subjects/none/versions/latest', v1)).toEqual([200, { is_compatible: true }]);
    expect(await ask('POST', '/compatibility/subjects/none/versions/1', v1)).toEqual([404, 40401]);
  });

  test('levels of the registry and of subjects', async () => {
    const path = `/config/${subject}`;
    expect(await ask('GET', '/config')).toEqual([200, { compatibilityLevel: 'BACKWARD' }]);
    expect(await ask('GET', path)).toEqual([404, 40408]);
    expect(await ask('GET', `${path}?defaultToGlobal=true`)).toEqual([200, { compatibilityLevel: 'BACKWARD' }]);
    expect(await ask('DELETE', path)).toEqual([404, 40401]);
    expect(await ask('PUT', path, { compatibility: 'FULL' })).toEqual([200, { compatibility: 'FULL' }]);
    expect(await ask('GET', path)).toEqual([200, { compatibilityLevel: 'FULL' }]);
    expect(await ask('PUT', path, { compatibility: 'SOMEWHAT' })).toEqual([422, 42203]);
    expect(await ask('PUT', path, {})).toEqual([422, 42203]);
    expect(await ask('DELETE', path)).toEqual([200, { compatibilityLevel: 'FULL' }]);
    expect(await ask('PUT', '/config', { compatibility: 'NONE' })).toEqual([200, { compatibility: 'NONE' }]);
    await register(v1);
    await register(broken);
    expect(await ask('DELETE', '/config')).toEqual([200, { compatibilityLevel: 'NONE' }]);
    expect(await ask('GET', '/config')).toEqual([200, { compatibilityLevel: 'BACKWARD' }]);
  });
});

describe('modes', () => {
  test('read-only: nothing changes, what is there is found', async () => {
    const made = await register(v1);
    const path = `/mode/${subject}`;
    expect(await ask('GET', '/mode')).toEqual([200, { mode: 'READWRITE' }]);
    expect(await ask('GET', path)).toEqual([404, 40409]);
    expect(await ask('GET', `${path}?defaultToGlobal=true`)).toEqual([200, { mode: 'READWRITE' }]);
    expect(await ask('PUT', path, { mode: 'READONLY' })).toEqual([200, { mode: 'READONLY' }]);
    expect(await ask('GET', path)).toEqual([200, { mode: 'READONLY' }]);
    expect(await ask('POST', `/subjects/${subject}/versions`, v2)).toEqual([422, 42205]);
    expect(await register(v1)).toBe(made);
    expect(await ask('DELETE', `/subjects/${subject}`)).toEqual([422, 42205]);
    expect(await ask('PUT', `/config/${subject}`, { compatibility: 'FULL' })).toEqual([422, 42205]);
    expect(await ask('PUT', path, { mode: 'SOMETIMES' })).toEqual([422, 42204]);
    expect(await ask('DELETE', path)).toEqual([200, { mode: 'READONLY' }]);
    expect(await ask('DELETE', path)).toEqual([404, 40401]);
    expect(await ask('PUT', '/mode', { mode: 'READONLY_OVERRIDE' })).toEqual([200, { mode: 'READONLY_OVERRIDE' }]);
    expect(await ask('POST', `/subjects/${subject}/versions`, v2)).toEqual([422, 42205]);
    expect(await ask('DELETE', '/mode')).toEqual([200, { mode: 'READONLY_OVERRIDE' }]);
    await register(v2);
  });

  test('import: versions come with the ids of another registry', async () => {
    const own = `{"type":"record","name":"Imported${count}","fields":[]}`;
    expect(await ask('POST', `/subjects/${subject}/versions`, { schema: own, id: 70_000, version: 3 })).toEqual([422, 42205]);
    expect(await ask('PUT', `/mode/${subject}`, { mode: 'IMPORT' })).toEqual([200, { mode: 'IMPORT' }]);
    expect(await ask('POST', `/subjects/${subject}/versions`, { schema: own })).toEqual([422, 42205]);
    expect(await ask('POST', `/subjects/${subject}/versions`, { schema: own, id: 70_000, version: 3 })).toEqual([
      200,
      { id: 70_000, version: 3 },
    ]);
    expect(await ask('POST', `/subjects/${subject}/versions`, { schema: own, id: 70_000, version: 3 })).toEqual([
      200,
      { id: 70_000, version: 3 },
    ]);
    expect(await ask('POST', `/subjects/${subject}/versions`, { schema: own, id: 70_001, version: 4 })).toEqual([422, 42207]);
    expect(await ask('POST', `/subjects/${subject}/versions`, { schema: `${own.replace('Imp', 'Oth')}`, id: 70_000, version: 4 })).toEqual([
      422, 42207,
    ]);
    expect(await ask('POST', `/subjects/${subject}/versions`, { schema: `${own.replace('Imp', 'Oth')}`, id: 70_001, version: 3 })).toEqual([
      422, 42205,
    ]);
    await ask('PUT', `/mode/${subject}`, { mode: 'READWRITE' });
    expect(await register({ schema: `${own.replace('Imp', 'Late')}` }, `${subject}.later`)).toBeGreaterThan(70_000);
    expect(await ask('PUT', `/mode/${subject}`, { mode: 'IMPORT' })).toEqual([422, 42205]);
    expect(await ask('PUT', '/mode', { mode: 'IMPORT' })).toEqual([422, 42205]);
    expect(await ask('PUT', `/mode/${subject}?force=true`, { mode: 'IMPORT' })).toEqual([200, { mode: 'IMPORT' }]);
  });
});

describe('who calls', () => {
  const basic = (user: string, password: string) => ({ authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` });
  const status = async (headers: Readonly<Record<string, string>>, base = fixture.url): Promise<number> => {
    const answer = await send('GET', '/subjects', { headers }, base);
    if (answer.status === 401) expect(answer.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
    return answer.status;
  };

  test('accounts in their environment, and API tokens either way', async () => {
    expect(await status(basic('berth.planner', 'quay'))).toBe(200);
    expect(await status(basic('berth.planner', 'quay'), fixture.registry.info('production').url)).toBe(401);
    expect(await status(basic('anybody', 'reader'))).toBe(200);
    expect(await status({ authorization: 'Bearer reader' })).toBe(200);
    for (const wrong of ['', 'Bearer', 'Bearer nobody', 'Basic !!!', 'Basic cXVheQ==', 'Digest x'])
      expect(await status({ authorization: wrong })).toBe(401);
  });

  test('reading is for all of them, changing is not: the refusal says what to do', async () => {
    await register(v1);
    for (const headers of [basic('berth.planner', 'quay'), { authorization: 'Bearer reader' }]) {
      expect(await ask('POST', `/subjects/${subject}`, v1, { headers })).toMatchObject([200, {}]);
      expect(await ask('POST', `/compatibility/subjects/${subject}/versions/latest`, v2, { headers })).toEqual([
        200,
        { is_compatible: true },
      ]);
      const refused = await send('POST', `/subjects/${subject}/versions`, { body: v2, headers });
      expect(await refused.json()).toMatchObject({
        error_code: 40301,
        message: expect.stringContaining('auto.register.schemas=false') as string,
      });
      for (const [method, path] of [
        ['DELETE', `/subjects/${subject}`],
        ['DELETE', `/subjects/${subject}/versions/1`],
        ['PUT', '/config'],
        ['PUT', `/config/${subject}`],
        ['DELETE', '/config'],
        ['DELETE', `/config/${subject}`],
        ['PUT', '/mode'],
        ['PUT', `/mode/${subject}`],
        ['DELETE', '/mode'],
        ['DELETE', `/mode/${subject}`],
      ] as const)
        expect([path, await ask(method, path, undefined, { headers })]).toEqual([path, [403, 40301]]);
    }
    expect(await ask('GET', `/subjects/${subject}/versions`)).toEqual([200, [1]]);
  });

  test('guessing a password is slowed down, for that name alone', async () => {
    for (let tries = 0; tries < 10; tries++) expect(await status(basic('berth.guessed', `guess ${tries}`))).toBe(401);
    const late = await send('GET', '/subjects', { headers: basic('berth.guessed', 'once more') });
    expect([late.status, late.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    expect(await status(basic('berth.planner', 'quay'))).toBe(200);
    expect(JSON.stringify(fixture.log)).not.toContain('guess');
  });
});

describe('requests', () => {
  test('addresses and methods', async () => {
    expect(await ask('GET', '/nothing')).toEqual([404, 404]);
    expect(await ask('GET', '/subjects/a/b')).toEqual([404, 404]);
    expect(await ask('PATCH', '/config')).toEqual([405, 405]);
    expect((await send('PATCH', '/config')).headers.get('allow')).toBe('GET, PUT, DELETE');
    expect(await ask('GET', '/subjects/%E0%A4%A/versions')).toEqual([400, 400]);
    expect((await send('GET', '/subjects', {}, fixture.url.replace('development', 'staging'))).status).toBe(404);
    expect((await send('GET', `/subjects?subjectPrefix=${'x'.repeat(20_000)}`)).status).toBeLessThan(500);
    expect((await send('GET', `/subjects/${'x'.repeat(9000)}`)).status).toBe(414);
  });

  test('media types', async () => {
    const type = async (accept: string): Promise<string | null> =>
      (await send('GET', '/subjects', { headers: { accept } })).headers.get('content-type');
    const newest = 'application/vnd.schemaregistry.v1+json';
    expect(await type('*/*')).toBe(newest);
    expect(await type('application/json')).toBe('application/json');
    expect(await type(`application/json;q=0.1, ${newest};q=0.9`)).toBe(newest);
    expect(await type('application/vnd.schemaregistry+json, */*;q=0.5')).toBe('application/vnd.schemaregistry+json');
    expect(await ask('GET', '/subjects', undefined, { headers: { accept: 'text/html' } })).toEqual([406, 406]);
    for (const [sent, expected] of [
      ['application/json; charset=utf-8', 200],
      ['application/octet-stream', 200],
      ['text/plain', 415],
    ] as const)
      expect((await send('POST', `/subjects/${subject}/versions`, { body: v1, headers: { 'content-type': sent } })).status).toBe(expected);
  });

  test('bodies that are too large, too deep, or mean two things', async () => {
    const path = `/subjects/${subject}/versions`;
    expect(await ask('POST', path, '{')).toEqual([400, 400]);
    expect(await ask('POST', path, `${'['.repeat(100)}${']'.repeat(100)}`)).toEqual([400, 400]);
    expect(await ask('POST', path, '{"schema": "\\"int\\"", "schema": "\\"string\\""}')).toEqual([400, 400]);
    expect(await ask('POST', path, '{"__proto__": {"schema": "\\"int\\""}}')).toEqual([400, 400]);
    expect(await ask('POST', path, { schema: `"${' '.repeat(4 << 20)}"` })).toEqual([413, 413]);
    expect(await ask('POST', path, { schema: `{"type":"array","items":`.repeat(5000) })).toEqual([422, 42201]);
    expect(
      await ask('POST', path, {
        schema: '"string"',
        references: Array.from({ length: 101 }, () => ({ name: 'a', subject: 'a', version: 1 })),
      }),
    ).toEqual([422, 422]);
    expect(await ask('GET', `/subjects?subjectPrefix=${subject}`)).toEqual([200, []]);
  });

  test('no browser may run what it answers', async () => {
    const { headers } = await send('GET', '/subjects');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain('sandbox');
  });

  test('environments have nothing in common', async () => {
    const made = await register({ schema: `{"type":"record","name":"Apart${count}","fields":[]}` });
    const production = fixture.registry.info('production').url;
    expect((await send('GET', `/subjects/${subject}/versions`, {}, production)).status).toBe(404);
    expect((await send('GET', `/schemas/ids/${made}`, {}, production)).status).toBe(404);
    expect(await (await send('POST', `/subjects/${subject}/versions`, { body: v1 }, production)).json()).toEqual({ id: 1, version: 1 });
  });
});
