/** The verdict as developers see it: the versions compared, the place and text of an issue, and whether its fix resolves it. */
import { describe, expect, it } from 'vitest';
import { type CompatibilityLevel, compatibilityLevels, type ParsedSchema, type SchemaType } from '@slipway/foundation/ports/schema.ts';
import { checkLevel } from './compatibility-level.ts';
import { parseSchema } from './parse-schema.ts';
import { schemaChanges } from './schema-changes.ts';
import type { SchemaReference } from './schema-format.ts';
import { applyFixes } from './text/text-edit.ts';

const parsed = (type: SchemaType, text: string, references: readonly SchemaReference[] = []): ParsedSchema => {
  const result = parseSchema(type, text, references);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.schema;
};

const verdictOf = (type: SchemaType, before: string, after: string, level: CompatibilityLevel = 'BACKWARD') =>
  checkLevel(level, parsed(type, after), [{ version: 8, schema: parsed(type, before) }]);

const record = (fields: string, name = '"Berth"'): string =>
  `{\n  "type": "record",\n  "name": ${name},\n  "fields": [\n    ${fields}\n  ]\n}`;

describe('levels', () => {
  const versions = ['"int"', '"long"', '"float"'].map((text, index) => ({ version: index + 1, schema: parsed('AVRO', text) }));
  const asked = (level: CompatibilityLevel, text: string) => checkLevel(level, parsed('AVRO', text), versions);

  it.each([
    ['NONE', '"bytes"', []],
    ['BACKWARD', '"double"', []],
    ['BACKWARD', '"long"', ['3 BACKWARD']],
    ['BACKWARD_TRANSITIVE', '"double"', []],
    ['BACKWARD_TRANSITIVE', '"int"', ['3 BACKWARD', '2 BACKWARD']],
    ['FORWARD', '"int"', []],
    ['FORWARD', '"double"', ['3 FORWARD']],
    ['FORWARD_TRANSITIVE', '"long"', ['1 FORWARD']],
    ['FULL', '"float"', []],
    ['FULL', '"long"', ['3 BACKWARD']],
    ['FULL_TRANSITIVE', '"long"', ['3 BACKWARD', '1 FORWARD']],
  ] as const)('%s of %s', (level, text, expected) => {
    const { issues, isCompatible, checked } = asked(level, text);
    expect(issues.map(({ version, direction }) => `${version} ${direction}`)).toEqual(expected);
    expect(isCompatible).toBe(expected.length === 0);
    expect(checked).toEqual(level === 'NONE' ? [] : level.endsWith('TRANSITIVE') ? [3, 2, 1] : [3]);
  });

  it('judges the first version by nothing', () => {
    for (const level of compatibilityLevels)
      expect(checkLevel(level, parsed('AVRO', '"int"'), [])).toEqual({ isCompatible: true, issues: [], checked: [] });
  });

  it('does not compare formats', () => {
    const verdict = checkLevel('BACKWARD', parsed('JSON', '{}'), [{ version: 1, schema: parsed('AVRO', '"int"') }]);
    expect(verdict.issues.map(({ code }) => code)).toEqual(['SCHEMA_TYPE_CHANGED']);
  });
});

describe('issues', () => {
  it('stand on their line, in words', () => {
    const before = record('{ "name": "etaUtc", "type": "string" }');
    const after = record('{ "name": "etaUtc", "type": "long" },\n    { "name": "tugCount", "type": "int" }');
    expect(verdictOf('AVRO', before, after).issues).toMatchObject([
      {
        code: 'TYPE_MISMATCH',
        path: '/fields/0/type',
        line: 5,
        column: 33,
        title: 'etaUtc: string became long',
        message: 'A value written as string cannot be read as long.',
      },
      {
        code: 'READER_FIELD_MISSING_DEFAULT_VALUE',
        path: '/fields/1/name',
        line: 6,
        title: 'tugCount has no default',
        message: 'Old messages lack it; a reader of the new version stops at the first one.',
      },
    ]);
    expect(verdictOf('AVRO', after, before, 'FORWARD').issues).toMatchObject([
      { path: '/fields', line: 4, title: 'tugCount was removed' },
      { path: '/fields/0/type', line: 5, title: 'etaUtc: long became string' },
    ]);
  });

  it('are those of the type of the same name, not of the union around it', () => {
    const vessel = (type: string) =>
      record(
        `{ "name": "vessel", "type": ["null", { "type": "record", "name": "Vessel", "fields": [{ "name": "imo", "type": "${type}" }] }] }`,
      );
    expect(verdictOf('AVRO', vessel('string'), vessel('int')).issues).toMatchObject([
      { title: 'imo: string became int', path: '/fields/0/type/1/fields/0/type' },
    ]);
  });

  it('in a reference stand where the reference is used', () => {
    const own = record('{ "name": "vessel", "type": "Vessel" }');
    const withVessel = (type: string) =>
      parsed('AVRO', own, [
        { name: 'Vessel', content: `{ "type": "record", "name": "Vessel", "fields": [{ "name": "imo", "type": "${type}" }] }` },
      ]);
    const { issues } = checkLevel('BACKWARD', withVessel('int'), [{ version: 1, schema: withVessel('string') }]);
    expect(issues).toMatchObject([{ title: 'imo: string became int', path: '/fields/0/type', line: 5 }]);
    expect(issues[0]?.fix).toBeUndefined();
  });

  it('of Protobuf names bytes that become text, and a required enum that loses a value', () => {
    const issues = (before: string, after: string) => verdictOf('PROTOBUF', before, after).issues.map(({ code }) => code);
    const bytes = 'message M { optional bytes a = 1; }';
    expect(issues(bytes, bytes.replace('bytes', 'string'))).toEqual(['FIELD_KIND_CHANGED']);
    expect(issues(bytes.replace('bytes', 'string'), bytes)).toEqual([]);
    const message = (label: string, values: string) => `enum E { A = 0; ${values} } message M { ${label} E a = 1; }`;
    expect(issues(message('required', 'B = 1;'), message('required', ''))).toEqual(['REQUIRED_ENUM_NARROWED']);
    expect(issues(message('required', ''), message('required', 'B = 1;'))).toEqual([]);
    expect(issues(message('optional', 'B = 1;'), message('optional', ''))).toEqual([]);
  });

  it('of JSON Schema and Protobuf have places, too', () => {
    const json = (type: string) => `{\n  "properties": {\n    "imo": { "type": "${type}" }\n  }\n}`;
    expect(verdictOf('JSON', json('string'), json('integer')).issues).toMatchObject([
      { line: 3, path: '/properties/imo/type', title: 'imo: string became integer' },
    ]);
    const proto = (type: string) => `syntax = "proto3";\nmessage Visit {\n  ${type} imo = 1;\n}`;
    expect(verdictOf('PROTOBUF', proto('string'), proto('int32')).issues).toMatchObject([
      { line: 3, column: 3, path: 'Visit.imo', title: 'imo: string became int32' },
    ]);
  });
});

describe('fixes', () => {
  it.each<readonly [string, SchemaType, string, string, CompatibilityLevel]>([
    [
      'a default',
      'AVRO',
      record(''),
      record(
        '{ "name": "a", "type": "int" }, { "name": "b", "type": ["string", "null"] }, { "name": "c", "type": { "type": "map", "values": "int" } }',
      ),
      'BACKWARD',
    ],
    [
      'null beside a record',
      'AVRO',
      record(''),
      record(
        '{ "name": "a", "type": { "type": "record", "name": "R", "fields": [] } }, { "type": { "type": "fixed", "name": "F", "size": 2 }, "name": "b" }',
      ),
      'BACKWARD',
    ],
    [
      'the type of before',
      'AVRO',
      record('{ "name": "a", "type": "string" }, { "name": "b", "type": ["null", "int"] }'),
      record('{ "name": "a", "type": "int" }, { "name": "b", "type": "int" }'),
      'BACKWARD',
    ],
    [
      'symbols',
      'AVRO',
      '{ "type": "enum", "name": "K", "symbols": ["A", "B", "C"] }',
      '{ "type": "enum", "name": "K", "symbols": ["A"] }',
      'BACKWARD',
    ],
    ['an alias', 'AVRO', record('', '"Old"'), record('', '"New"'), 'BACKWARD'],
    ['another alias', 'AVRO', record('', '"x.Old"'), record('', '"New", "aliases": ["Older"]'), 'BACKWARD'],
    ['a size', 'AVRO', '{ "type": "fixed", "name": "F", "size": 4 }', '{ "type": "fixed", "name": "F", "size": 8 }', 'FULL'],
    ['a branch', 'AVRO', '["null", "int", "string"]', '["null"]', 'BACKWARD'],
    [
      'a removed field',
      'AVRO',
      record('{ "name": "a", "type": "int" }, { "name": "b", "type": "long" }, { "name": "c", "type": "string" }'),
      record('{ "name": "a", "type": "int" }, { "name": "c", "type": "string" }'),
      'FORWARD',
    ],
    ['all removed fields', 'AVRO', record('{ "name": "a", "type": "int" }'), record(''), 'FORWARD'],
    ['a limit', 'JSON', '{ "maxLength": 10, "minimum": 3 }', '{ "maxLength": 5, "minimum": 4 }', 'BACKWARD'],
    ['a new limit', 'JSON', '{ "type": "string" }', '{ "type": "string", "maxLength": 5, "pattern": "a" }', 'BACKWARD'],
    ['values', 'JSON', '{ "enum": ["a", "b", 3] }', '{ "enum": ["a"] }', 'BACKWARD'],
    ['what is required', 'JSON', '{ "required": ["b"] }', '{ "required": ["a", "b", "c"] }', 'BACKWARD'],
    ['a number', 'PROTOBUF', 'message M { optional string a = 1; }', 'message M { optional string a = 4; }', 'FULL'],
    ['a type', 'PROTOBUF', 'message M { optional string a = 1; }', 'message M { optional int64 a = 1; }', 'FULL'],
    ['a required field', 'PROTOBUF', 'message M { }', 'message M { required string a = 1; }', 'BACKWARD'],
  ])('give back %s', (_, type, before, after, level) => {
    const { issues } = verdictOf(type, before, after, level);
    expect(issues.length).toBeGreaterThan(0);
    const fixes = issues.map(({ fix, title }) => fix ?? expect.fail(`no fix for ${title}`));
    const fixed = applyFixes(after, fixes);
    expect(verdictOf(type, before, fixed, level).issues, fixed).toEqual([]);
  });

  it('say what they do', () => {
    const [issue] = verdictOf('AVRO', record(''), record('{ "name": "tugCount", "type": "int" }')).issues;
    expect(issue?.fix?.label).toBe('Give tugCount the default 0');
  });
});

describe('changes', () => {
  it('are said in words', () => {
    const kind = (symbols: string) => `{ "name": "kind", "type": { "type": "enum", "name": "Kind", "symbols": [${symbols}] } }`;
    const before = record(`{ "name": "etaUtc", "type": "string" }, { "name": "agent", "type": "string" }, ${kind('"A", "B"')}`);
    const after = record(`{ "name": "etaUtc", "type": "long" },\n ${kind('"A", "C"')}, { "name": "pilot", "type": "string" }`);
    const messages = schemaChanges(parsed('AVRO', before), parsed('AVRO', after)).map(({ message }) => message);
    expect(messages).toEqual(['etaUtc: string became long', 'C added', 'B removed', 'pilot added', 'agent removed']);
  });
});

describe('fields', () => {
  it('are a tree with words and classification', () => {
    const text = record(
      '{ "name": "vessel", "doc": "Who comes", "type": { "type": "record", "name": "Vessel", "fields": [{ "name": "name", "type": "string" }, { "name": "next", "type": ["null", "Vessel"] }] } }, { "name": "mail", "type": ["null", "string"], "classification": "Confidential" }, { "name": "legs", "type": { "type": "array", "items": { "type": "record", "name": "Leg", "fields": [{ "name": "at", "type": { "type": "long", "logicalType": "timestamp-millis" } }] } } }',
    );
    expect(parsed('AVRO', text).fields()).toMatchObject([
      {
        path: 'vessel',
        type: 'Vessel',
        doc: 'Who comes',
        isOptional: false,
        children: [
          { path: 'vessel.name', type: 'string' },
          { path: 'vessel.next', isRecursive: true, isOptional: true, children: [] },
        ],
      },
      { path: 'mail', type: 'null or string', isOptional: true, classification: 'CONFIDENTIAL' },
      { path: 'legs', type: 'array of Leg', children: [{ name: '*', children: [{ path: 'legs.*.at', type: 'long (timestamp-millis)' }] }] },
    ]);
    const json =
      '{ "type": "object", "required": ["vessel"], "properties": { "vessel": { "$ref": "#/$defs/v" }, "mail": { "type": "string", "format": "email", "confluent:tags": ["PII"] } }, "$defs": { "v": { "properties": { "self": { "$ref": "#/$defs/v" } } } } }';
    expect(parsed('JSON', json).fields()).toMatchObject([
      { path: 'vessel', type: 'object', isOptional: false, children: [{ path: 'vessel.self', isRecursive: true }] },
      { path: 'mail', type: 'string (email)', isOptional: true, classification: 'PII' },
    ]);
    const proto =
      'syntax = "proto3"; message Visit {\n // Who comes\n Leg first_leg = 1;\n string agent_mail = 2; // @classification confidential\n string port = 3; message Leg { Leg next = 1; } }';
    expect(parsed('PROTOBUF', proto).fields()).toMatchObject([
      { path: 'firstLeg', doc: 'Who comes', children: [{ path: 'firstLeg.next', isRecursive: true }] },
      { path: 'agentMail', classification: 'CONFIDENTIAL' },
      { path: 'port' },
    ]);
    // A trailing comment belongs to the field on that line.
    expect(
      parsed('PROTOBUF', proto)
        .fields()
        .map(({ classification }) => classification),
    ).toEqual([undefined, 'CONFIDENTIAL', undefined]);
  });
});

describe('the canonical text', () => {
  it.each<readonly [SchemaType, string, string]>([
    ['AVRO', '{ "type": "fixed", "name": "F", "size": 4 }', '{"size":4,\n"name":"F","type":"fixed"}'],
    ['JSON', '{ "type": "string", "maxLength": 5 }', '{"maxLength":5.0,"type":"string"}'],
    ['PROTOBUF', 'message M{optional string a=1;}', '// c\nmessage M {\n  optional string a = 1; /* d */\n}\n'],
  ])('of %s is the same for every layout', (type, one, other) => {
    expect(parsed(type, one).fingerprint).toBe(parsed(type, other).fingerprint);
    expect(parsed(type, one).fingerprint).not.toBe(
      parsed(
        type,
        one.replace(/M|"F"|5/, (found) => (found === '5' ? '6' : found.replace(/[MF]/, 'G'))),
      ).fingerprint,
    );
  });

  it('has the references in it', () => {
    const own = record('{ "name": "v", "type": "V" }');
    const fixed = (size: number) => [{ name: 'V', content: `{ "type": "fixed", "name": "V", "size": ${size} }` }];
    expect(parsed('AVRO', own, fixed(1)).fingerprint).not.toBe(parsed('AVRO', own, fixed(2)).fingerprint);
    expect(parsed('AVRO', own, fixed(1)).referenceNames).toEqual(['V']);
  });
});
