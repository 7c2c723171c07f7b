/** Columns from values, and search matches. Masked fields never match. */
import { describe, expect, test } from 'vitest';
import { messageOf } from '#features/streaming/streaming.fixture.ts';
import { cellText, isFound, knownPaths } from './message-rows.ts';
import { sampleOf } from './sample-value.ts';

const value = { kind: 'MOORED', vessel: { name: 'Mare Oriens' }, pilot: { name: null }, tugs: [1] };
const message = messageOf(value);
const masked = { ...message, value: { ...message.value, masked: [{ path: '/pilot/name', classification: 'CONFIDENTIAL' as const }] } };

test('columns are the fields of values and of records in them, in the order in which they are met', () =>
  expect(knownPaths([message, messageOf({ berth: 'C03' })])).toEqual(['kind', 'vessel.name', 'pilot.name', 'berth']));

test('a masked place has no text, not even that of null', () => {
  expect(cellText(masked.value, 'pilot.name')).toBeUndefined();
  expect(cellText(masked.value, 'kind')).toBe('MOORED');
  expect(cellText(masked.value, 'nothing')).toBe('–');
});

describe('a search', () => {
  test.each([
    ['', true],
    ['moored', true],
    ['kind:moor', true],
    ['kind:moor vessel.name:oriens', true],
    ['kind:departed', false],
    ['8841', true],
    ['pilot.name:anna', false],
  ])('%s', (search, found) => expect(isFound(masked, search)).toBe(found));
});

test('a test message begins with the fields that the schema wants', () => {
  const avro = {
    type: 'record',
    name: 'E',
    fields: [
      { name: 'a', type: 'string' },
      { name: 'b', type: ['null', 'int'] },
      { name: 'c', type: { type: 'enum', name: 'K', symbols: ['X', 'Y'] } },
      { name: 'd', type: 'int', default: 7 },
    ],
  };
  expect(sampleOf('AVRO', JSON.stringify(avro))).toEqual({ a: '', b: null, c: 'X', d: 7 });
  const json = { type: 'object', properties: { a: { type: 'number' }, b: { enum: ['q'] } } };
  expect(sampleOf('JSON', JSON.stringify(json))).toEqual({ a: 0, b: 'q' });
  const endless = { type: 'record', name: 'N', fields: [{ name: 'next', type: 'N' }] };
  expect(() => sampleOf('AVRO', JSON.stringify(endless))).not.toThrow();
  expect(sampleOf('AVRO', 'no JSON')).toEqual({});
});
