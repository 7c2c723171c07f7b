/** Which values of a message are masked: by class of the field, of its parent, and of the topic. */
import { expect, test } from 'vitest';
import { fieldsOf, maskValue, type ClassifiedField } from './masking.ts';

const field = (name: string, classification?: string, children: readonly ClassifiedField[] = []): ClassifiedField => ({
  name,
  children,
  ...(classification !== undefined && { classification }),
});
const fields = [
  field('berth'),
  field('pilot', 'CONFIDENTIAL', [field('name'), field('port', 'PUBLIC')]),
  field('phones', 'RESTRICTED', [field('*')]),
  field('crew', undefined, [field('*', undefined, [field('name', 'PII')])]),
  field('notes', undefined, [field('*', 'CONFIDENTIAL')]),
  field('a/b', 'CONFIDENTIAL'),
];
const value = {
  berth: 'C03',
  pilot: { name: 'Ada', port: 'RTM' },
  phones: ['1', '2'],
  crew: [{ name: 'Bo' }],
  notes: { x: 'y' },
  'a/b': 1,
};

test('fields by their own class, with places as JSON pointers', () => {
  expect(maskValue(value, fields, 'INTERNAL')).toEqual({
    value: { berth: 'C03', pilot: { name: null, port: 'RTM' }, phones: null, crew: [{ name: null }], notes: { x: null }, 'a/b': null },
    masked: [
      { path: '/pilot/name', classification: 'CONFIDENTIAL' },
      { path: '/phones', classification: 'RESTRICTED' },
      { path: '/crew/0/name', classification: 'CONFIDENTIAL' },
      { path: '/notes/x', classification: 'CONFIDENTIAL' },
      { path: '/a~1b', classification: 'CONFIDENTIAL' },
    ],
  });
});
test('in a strict topic everything that no schema frees', () => {
  const { value: shown } = maskValue(value, fields, 'RESTRICTED');
  expect(shown).toEqual({ berth: null, pilot: { name: null, port: 'RTM' }, phones: null, crew: null, notes: null, 'a/b': null });
  expect(maskValue('text', [], 'CONFIDENTIAL')).toEqual({ value: null, masked: [{ path: '', classification: 'CONFIDENTIAL' }] });
});
test('what the schema does not know has the class of what it lies in', () => {
  expect(maskValue({ pilot: { name: 'Ada', port: 'RTM', age: 3 }, extra: 1 }, fields, 'INTERNAL').value).toEqual({
    pilot: { name: null, port: 'RTM', age: null },
    extra: 1,
  });
});
test('names that an object inherits are values like others', () => {
  const hostile: unknown = JSON.parse('{ "__proto__": { "name": "x" }, "constructor": 1 }');
  expect(JSON.stringify(maskValue(hostile, [field('constructor', 'CONFIDENTIAL')], 'PUBLIC').value)).toBe(
    '{"__proto__":{"name":"x"},"constructor":null}',
  );
});

test('fields say beforehand what would be masked', () => {
  interface Typed extends ClassifiedField {
    readonly type: string;
    readonly children: readonly Typed[];
  }
  const typed = (one: ClassifiedField): Typed => ({ ...one, type: 'text', children: one.children.map(typed) });
  const said = fieldsOf(fields.map(typed), 'INTERNAL').map(({ path, classification, isMasked }) => [path, classification, isMasked]);
  expect(said).toEqual([
    ['berth', 'INTERNAL', false],
    ['pilot.name', 'CONFIDENTIAL', true],
    ['pilot.port', 'PUBLIC', false],
    ['phones', 'RESTRICTED', true],
    ['crew[].name', 'CONFIDENTIAL', true],
    ['notes[]', 'CONFIDENTIAL', true],
    ['a/b', 'CONFIDENTIAL', true],
  ]);
  expect(fieldsOf([typed(field('berth'))], 'RESTRICTED')).toEqual([
    { path: 'berth', type: 'text', classification: 'RESTRICTED', isMasked: true },
  ]);
});
