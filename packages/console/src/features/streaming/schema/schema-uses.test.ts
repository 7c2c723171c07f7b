import { expect, test } from 'vitest';
import { isSameUses, namedUses, usualName } from './schema-uses.ts';

test.each([
  ['AVRO', '{"name":"Vessel","namespace":"com.norrland"}', 'com.norrland.Vessel'],
  ['AVRO', '{"name":"com.norrland.Vessel","namespace":"x"}', 'com.norrland.Vessel'],
  ['AVRO', '"string"', 'vessel'],
  ['JSON', '{"$id":"https://norrland.example/vessel.json"}', 'https://norrland.example/vessel.json'],
  ['JSON', 'no JSON', 'vessel.json'],
  ['PROTOBUF', 'message Vessel {}', 'vessel.proto'],
] as const)('%s %s is spoken of as %s', (type, content, name) => expect(usualName({ type, content, name: 'vessel' })).toBe(name));

test('uses are the same by name, schema and version', () => {
  const use = { name: 'Vessel', resourceId: 'sch_1', revisionId: 1 };
  expect(isSameUses([use], [{ ...use }])).toBe(true);
  expect(isSameUses([use], [{ ...use, revisionId: 2 }])).toBe(false);
});

test('one without a name is not asked about', () =>
  expect(
    namedUses([
      { name: ' ', resourceId: 'a' },
      { name: 'B', resourceId: 'b' },
    ]).map(({ name }) => name),
  ).toEqual(['B']));
