import { expect, test } from 'vitest';
import { connectionFileNames, connectionFileOf } from './connection-files.ts';
import type { SnippetFacts } from './facts.ts';
import { snippetLanguages, snippetOf } from './snippets.ts';

const facts: SnippetFacts = {
  user: 'berth.planner~2',
  groupPrefix: 'berth.planner.',
  topic: 'berth.visits',
  bootstrapServers: ['kafka-1:9092', 'kafka-2:9092'],
  tls: 'none',
};
const textsOf = (more: Partial<SnippetFacts>): string[] =>
  snippetLanguages.flatMap((language) => (['read', 'write'] as const).map((use) => snippetOf(language, use, { ...facts, ...more })));
/** Returns the first line of each text that does not match. */
const without = (texts: readonly string[], part: RegExp): string[] =>
  texts.filter((text) => !part.test(text)).map((text) => text.split('\n', 1)[0] ?? '');

test('each names its client and version, every broker, its topic, and its group where it reads', () => {
  for (const language of snippetLanguages)
    for (const use of ['read', 'write'] as const) {
      const text = snippetOf(language, use, facts);
      expect(text).toMatch(/^(\/\/|#) .*\d+\.\d/);
      for (const part of ['kafka-1:9092', 'kafka-2:9092', 'berth.visits']) expect(text).toContain(part);
      expect(text.includes('berth.planner.main')).toBe(use === 'read');
    }
});

test('a program takes what a change of the password changes from the environment: a user is in none', () => {
  const texts = textsOf({});
  expect(texts.filter((text) => text.includes('~2'))).toEqual([]);
  expect(without(texts, /KAFKA_USERNAME[^]*KAFKA_PASSWORD/)).toEqual([]);
  expect(connectionFileOf('terminal', facts)).toContain("KAFKA_USERNAME='berth.planner~2'");
});

test('TLS is everywhere where the cluster has it, and its authority where no machine knows it', () => {
  expect(without(textsOf({ tls: 'system' }), /SASL_SSL|tls: \{\}|ssl: true|DialTLS/)).toEqual([]);
  expect(without(textsOf({ tls: 'own' }), /KAFKA_CA_CERTIFICATE/)).toEqual([]);
  for (const tls of ['none', 'system'] as const) expect(textsOf({ tls }).filter((text) => text.includes('CA_CERTIFICATE'))).toEqual([]);
  for (const name of connectionFileNames) expect(connectionFileOf(name, { ...facts, tls: 'own' })).toMatch(/CA_CERTIFICATE|kafka-ca\.pem/);
});

test('where the topic has a schema, a program writes by it, or says that it does not', () => {
  const schema = { registryUrl: 'http://slipway/schema-registry/development', sample: { berth: 'C03', isOpen: true, tugs: null } };
  for (const type of ['AVRO', 'JSON', 'PROTOBUF'] as const) {
    const texts = snippetLanguages.map((language) => snippetOf(language, 'write', { ...facts, schema: { ...schema, type } }));
    expect(without(texts, /schema-registry\/development|This topic has a schema/)).toEqual([]);
  }
  const avro = { ...facts, schema: { ...schema, type: 'AVRO' } } as const;
  expect(snippetOf('node', 'write', avro)).toContain('{"berth":"C03","isOpen":true,"tugs":null}');
  expect(snippetOf('python', 'write', avro)).toContain('{"berth": "C03", "isOpen": True, "tugs": None}');
});

test('a name is one word for the shell, whatever is in it', () => {
  expect(connectionFileOf('terminal', { ...facts, user: "it's" })).toContain(String.raw`'it'\''s'`);
});
