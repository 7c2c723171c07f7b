/** Tests for every schema registry adapter, on a real registry. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SchemaRegistry, SchemaText } from './schema-registry.ts';

export interface SchemaRegistrySubject {
  readonly registry: SchemaRegistry;
  close(): Promise<void>;
}

const env = 'development';
type Field = string | { readonly name: string; readonly type: unknown; readonly default?: unknown };
/** Returns a record `Berth` with fields of type string by default. */
const berth = (...fields: readonly Field[]): SchemaText => ({
  type: 'AVRO',
  content: JSON.stringify(
    { type: 'record', name: 'Berth', fields: fields.map((field) => (typeof field === 'string' ? { name: field, type: 'string' } : field)) },
    undefined,
    2,
  ),
});
const withDefault = { name: 'note', type: 'string', default: '' };
const rejected = (code: string) => ({ name: 'PortFailure', kind: 'rejected', code });

export function schemaRegistrySuite(name: string, make: () => Promise<SchemaRegistrySubject>): void {
  describe(`schema registry: ${name}`, () => {
    let subject: SchemaRegistrySubject;
    let registry: SchemaRegistry;
    /** Keeps runs against the same registry apart. Also the name of a field. */
    const run = `r${randomBytes(4).toString('hex')}`;
    let count = 0;
    const newSubject = (): string => `suite-${run}.topic${++count}-value`;
    beforeAll(async () => {
      subject = await make();
      registry = subject.registry;
    });
    afterAll(() => subject?.close());

    test('a content gets a version and an id; the same again is the same', async () => {
      const at = newSubject();
      const first = await registry.register(env, at, berth('id'));
      expect(first).toEqual({ id: expect.any(Number), version: 1, isNew: true });
      expect(await registry.register(env, at, berth('id'))).toEqual({ ...first, isNew: false });
      const second = await registry.register(env, at, berth('id', withDefault));
      expect(second).toMatchObject({ version: 2, isNew: true });
      expect(second.id).not.toBe(first.id);
      expect(await registry.versions(env, at)).toEqual([1, 2]);
    });

    test('a content has one id, whatever subjects it is in', async () => {
      const [one, other] = [newSubject(), newSubject()];
      const { id } = await registry.register(env, one, berth('shared', run));
      expect(await registry.register(env, other, berth('shared', run))).toMatchObject({ id, version: 1 });
      const places = await registry.places(env, id);
      expect(places).toEqual(
        expect.arrayContaining([
          { subject: one, version: 1 },
          { subject: other, version: 1 },
        ]),
      );
      expect(places).toHaveLength(2);
    });

    test('equal registrations at once are one version', async () => {
      const at = newSubject();
      const made = await Promise.all(Array.from({ length: 8 }, () => registry.register(env, at, berth('id'))));
      expect(new Set(made.map(({ id, version }) => `${id} ${version}`)).size).toBe(1);
      expect(await registry.versions(env, at)).toEqual([1]);
    });

    test('the heads of many subjects say the newest version, and the level that counts', async () => {
      const [own, registrys, gone] = [newSubject(), newSubject(), newSubject()];
      for (const at of [own, registrys, gone]) await registry.register(env, at, berth('id'));
      await registry.setLevel(env, own, 'FULL_TRANSITIVE');
      const { id } = await registry.register(env, own, berth('id', withDefault));
      await registry.remove(env, gone);
      const heads = await registry.heads(env, [own, registrys, gone, newSubject()]);
      expect([...heads.keys()].toSorted()).toEqual([own, registrys].toSorted());
      expect(heads.get(own)).toMatchObject({ version: 2, id, level: 'FULL_TRANSITIVE', isOwn: true });
      // Some registries return their own level as if it were the subject's.
      expect(heads.get(registrys)).toMatchObject({ version: 1, ...(await registry.level(env, registrys)) });
    });

    test('versions are read by number, as the newest, by content and by id', async () => {
      const at = newSubject();
      const first = await registry.register(env, at, berth('id'));
      const second = await registry.register(env, at, berth('id', withDefault));
      const expected = { subject: at, type: 'AVRO', references: [], isDeleted: false };
      const one = await registry.version(env, at, 1);
      expect(one).toMatchObject({ ...expected, version: 1, id: first.id });
      expect(JSON.parse(one?.content ?? '')).toEqual(JSON.parse(berth('id').content));
      expect(await registry.version(env, at, 'latest')).toMatchObject({ ...expected, version: 2, id: second.id });
      expect(await registry.lookup(env, at, berth('id'))).toMatchObject({ ...expected, version: 1, id: first.id });
      expect(await registry.byId(env, second.id)).toMatchObject({ type: 'AVRO', content: expect.stringContaining('note') });
    });

    test('what is not there is said plainly', async () => {
      const [at, none] = [newSubject(), newSubject()];
      await registry.register(env, at, berth('id'));
      expect(await registry.version(env, at, 9)).toBeUndefined();
      expect(await registry.version(env, none, 'latest')).toBeUndefined();
      expect(await registry.lookup(env, at, berth('other'))).toBeUndefined();
      expect(await registry.lookup(env, none, berth('id'))).toBeUndefined();
      expect(await registry.versions(env, none)).toEqual([]);
      expect(await registry.byId(env, 2_000_000_000)).toBeUndefined();
      expect(await registry.places(env, 2_000_000_000)).toEqual([]);
      await expect(registry.parsed(env, 2_000_000_000)).rejects.toMatchObject({ kind: 'notFound' });
    });

    test('subjects by a literal prefix, in order', async () => {
      const base = `suite-${run}.list_${++count}`;
      for (const name of ['b-value', 'a%-key', 'a_-key', 'aX-key']) await registry.register(env, `${base}.${name}`, berth('id'));
      expect(await registry.subjects(env, `${base}.`)).toEqual(['a%-key', 'aX-key', 'a_-key', 'b-value'].map((name) => `${base}.${name}`));
      expect(await registry.subjects(env, `${base}.a_`)).toEqual([`${base}.a_-key`]);
      expect(await registry.subjects(env, `${base}.z`)).toEqual([]);
    });

    test('names that need escaping', async () => {
      const at = `suite-${run}/ü ${++count}?x=1&y#z`;
      await registry.register(env, at, berth('id'));
      expect(await registry.version(env, at, 1)).toMatchObject({ subject: at });
      await registry.setLevel(env, at, 'FULL');
      expect(await registry.level(env, at)).toEqual({ level: 'FULL', isOwn: true });
    });

    test('a version that breaks readers is refused, and nothing is registered', async () => {
      const at = newSubject();
      await registry.setLevel(env, at, 'BACKWARD');
      await registry.register(env, at, berth('id'));
      await expect(registry.register(env, at, berth('id', 'must'))).rejects.toMatchObject(rejected('SchemaIncompatible'));
      expect(await registry.versions(env, at)).toEqual([1]);
    });

    test('what is no schema is refused', async () => {
      const at = newSubject();
      await expect(registry.register(env, at, { type: 'AVRO', content: '{"type": "nothing"}' })).rejects.toMatchObject(
        rejected('SchemaInvalid'),
      );
      expect(await registry.versions(env, at)).toEqual([]);
      expect(await registry.parse(env, { type: 'AVRO', content: '{"type": "nothing"}' })).toMatchObject({
        ok: false,
        problems: [{ line: 1 }],
      });
    });

    test('the verdict says where, which version, and what was compared', async () => {
      const at = newSubject();
      await registry.setLevel(env, at, 'BACKWARD');
      const nothing = { problems: [], issues: [], isCompatible: true, same: undefined, disagreement: undefined };
      expect(await registry.check(env, at, berth('id'))).toEqual({ ...nothing, level: 'BACKWARD', checked: [], newest: undefined });
      await registry.register(env, at, berth('id'));
      expect(await registry.check(env, at, berth('id'))).toMatchObject({ ...nothing, checked: [1], newest: 1, same: 1 });
      expect(await registry.check(env, at, berth('id', withDefault))).toMatchObject({ ...nothing, checked: [1], newest: 1 });
      const broken = await registry.check(env, at, berth('id', 'must'));
      expect(broken).toMatchObject({ isCompatible: false, problems: [], newest: 1, disagreement: undefined });
      expect(broken.issues).toEqual([
        expect.objectContaining({ version: 1, direction: 'BACKWARD', path: expect.stringContaining('/fields/1') as string }),
      ]);
      expect(broken.issues[0]?.line).toBeGreaterThan(5);
      const invalid = await registry.check(env, at, { type: 'AVRO', content: '{' });
      expect(invalid).toMatchObject({ isCompatible: false, issues: [], checked: [], problems: [{ line: 1 }] });
    });

    test('levels decide the direction, and how far back', async () => {
      const at = newSubject();
      await registry.setLevel(env, at, 'NONE');
      for (const fields of [['id'], ['id', withDefault], ['id', 'note']] as const) await registry.register(env, at, berth(...fields));
      // The newest version has the field without a default. Only the first lacks the field.
      const draft = berth('id', 'note', { name: 'more', type: 'string', default: '' });
      expect(await registry.check(env, at, draft)).toMatchObject({ isCompatible: true, level: 'NONE', checked: [] });
      await registry.setLevel(env, at, 'BACKWARD');
      expect(await registry.check(env, at, draft)).toMatchObject({ isCompatible: true, checked: [3] });
      await registry.setLevel(env, at, 'BACKWARD_TRANSITIVE');
      const far = await registry.check(env, at, draft);
      expect(far).toMatchObject({ isCompatible: false, checked: [3, 2, 1] });
      expect(far.issues.map(({ version }) => version)).toEqual([1]);
      await expect(registry.register(env, at, draft)).rejects.toMatchObject(rejected('SchemaIncompatible'));
      await registry.setLevel(env, at, 'FORWARD');
      expect(await registry.check(env, at, berth('id'))).toMatchObject({ isCompatible: false, issues: [{ direction: 'FORWARD' }] });
      expect(await registry.check(env, at, berth('id'), 'BACKWARD')).toMatchObject({ isCompatible: true, level: 'BACKWARD', checked: [3] });
    });

    test('a subject has a level of its own, or that of the registry', async () => {
      const at = newSubject();
      expect(await registry.level(env, at)).toEqual({ level: 'BACKWARD', isOwn: false });
      await registry.setLevel(env, at, 'FULL_TRANSITIVE');
      expect(await registry.level(env, at)).toEqual({ level: 'FULL_TRANSITIVE', isOwn: true });
      await registry.setLevel(env, at, null);
      await registry.setLevel(env, at, null);
      expect(await registry.level(env, at)).toEqual({ level: 'BACKWARD', isOwn: false });
    });

    test('a version after another than the newest is a conflict', async () => {
      const at = newSubject();
      await registry.register(env, at, berth('id'), { after: null });
      await expect(registry.register(env, at, berth('id', withDefault), { after: null })).rejects.toMatchObject({ kind: 'conflict' });
      expect(await registry.register(env, at, berth('id', withDefault), { after: 1 })).toMatchObject({ version: 2 });
      // A repeated step finds the version it created.
      expect(await registry.register(env, at, berth('id', withDefault), { after: 1 })).toMatchObject({ version: 2, isNew: false });
    });

    test('references: read with the content, listed, and not removed', async () => {
      const [vessel, call] = [newSubject(), newSubject()];
      const name = `Vessel${run}`;
      await registry.register(env, vessel, {
        type: 'AVRO',
        content: JSON.stringify({ type: 'record', name, fields: [{ name: 'imo', type: 'int' }] }),
      });
      const text: SchemaText = {
        type: 'AVRO',
        content: JSON.stringify({ type: 'record', name: 'Call', fields: [{ name: 'vessel', type: name }] }),
        references: [{ name, subject: vessel, version: 1 }],
      };
      const { id } = await registry.register(env, call, text);
      expect(await registry.version(env, call, 1)).toMatchObject({ references: text.references });
      expect(await registry.lookup(env, call, text)).toMatchObject({ id });
      expect((await registry.parsed(env, id)).fields()).toMatchObject([{ name: 'vessel', children: [{ name: 'imo' }] }]);
      expect(await registry.referencedBy(env, vessel, 1)).toEqual([{ subject: call, version: 1 }]);
      await expect(registry.remove(env, vessel)).rejects.toMatchObject(rejected('SchemaIsReferencedBySchemas'));
      await registry.remove(env, call, { isPermanent: true });
      await registry.remove(env, vessel, { isPermanent: true });
      expect(await registry.versions(env, vessel)).toEqual([]);
      await expect(registry.register(env, call, text)).rejects.toMatchObject(rejected('SchemaInvalid'));
    });

    test('a deleted version is none of the subject, but messages of it are read', async () => {
      const at = newSubject();
      const { id } = await registry.register(env, at, berth('id', run, 'gone'));
      await registry.remove(env, at);
      expect(await registry.versions(env, at)).toEqual([]);
      expect(await registry.version(env, at, 'latest')).toBeUndefined();
      expect(await registry.subjects(env, at)).toEqual([]);
      expect(await registry.byId(env, id)).toMatchObject({ type: 'AVRO' });
      await registry.remove(env, at);
      await registry.remove(env, at, { isPermanent: true });
      await registry.remove(env, at, { isPermanent: true });
      expect(await registry.register(env, at, berth('id'))).toMatchObject({ version: 1 });
    });

    test('one version goes, the others stay', async () => {
      const at = newSubject();
      await registry.register(env, at, berth('id'));
      await registry.register(env, at, berth('id', withDefault));
      await registry.remove(env, at, { version: 2, isPermanent: true });
      expect(await registry.versions(env, at)).toEqual([1]);
      expect(await registry.version(env, at, 'latest')).toMatchObject({ version: 1 });
      await registry.remove(env, at, { version: 2, isPermanent: true });
      await registry.remove(env, newSubject(), { version: 1, isPermanent: true });
    });

    test('messages are written and read with the ids in them', async () => {
      const at = newSubject();
      const { id } = await registry.register(env, at, berth('id'));
      const message = await registry.encode(env, id, { id: 'B7' });
      expect([...message.subarray(0, 5)]).toEqual([0, ...new Uint8Array(new Uint32Array([id]).buffer).reverse()]);
      expect(await registry.decode(env, message)).toMatchObject({ state: 'DECODED', schemaId: id, value: { id: 'B7' } });
      expect(await registry.decode(env, message.subarray(0, 6))).toMatchObject({ state: 'UNREADABLE', schemaId: id });
      expect(await registry.decode(env, Buffer.from('plain'))).toEqual({ state: 'UNFRAMED' });
      expect(await registry.decode(env, Buffer.from([0, 119, 53, 148, 0, 1]))).toMatchObject({
        state: 'UNREADABLE',
        schemaId: 2_000_000_000,
      });
      await expect(registry.encode(env, id, { id: 7 })).rejects.toMatchObject(rejected('MessageInvalid'));
    });

    test.each<SchemaText>([
      { type: 'JSON', content: '{"type": "object", "properties": {"berth": {"type": "string"}}}' },
      { type: 'PROTOBUF', content: 'syntax = "proto3";\npackage quay;\nmessage Berth {\n  string berth = 1;\n}\n' },
    ])('$type', async (text) => {
      const at = newSubject();
      const { id } = await registry.register(env, at, text);
      expect(await registry.version(env, at, 1)).toMatchObject({ type: text.type, id });
      expect(await registry.lookup(env, at, text)).toMatchObject({ id });
      const message = await registry.encode(env, id, { berth: 'B7' });
      expect(await registry.decode(env, message)).toMatchObject({ state: 'DECODED', value: { berth: 'B7' } });
    });

    test('it says where clients find it, and that it is there', async () => {
      expect(registry.info(env).url).toMatch(/^http/);
      await registry.probe();
    });
  });
}
