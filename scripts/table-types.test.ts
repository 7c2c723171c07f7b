/** Table types say what a column holds, or there are none. */
import { expect, test } from 'vitest';
import { tableTypes, type Column } from './table-types.ts';

const column = (name: string, more: Partial<Column> = {}): Column => ({
  table: 'ship',
  name,
  type: 'text',
  isArray: false,
  isNullable: false,
  hasDefault: false,
  isComputed: false,
  check: null,
  ...more,
});
const typeOf = (given: Column, columns: Record<string, string> = {}): string | undefined =>
  /^ {2}\w+: (.+);$/m.exec(tableTypes([given], { columns, sources: {} }).split('interface ShipTable')[1] ?? '')?.[1];

test('a check that lists values is a union of them', () => {
  const check = "CHECK ((state = ANY (ARRAY['ACTIVE'::text, 'NOT_CREATED'::text])))";
  expect(typeOf(column('state', { check }))).toBe("'ACTIVE' | 'NOT_CREATED'");
  expect(typeOf(column('state', { check, hasDefault: true, isNullable: true }))).toBe("Generated<'ACTIVE' | 'NOT_CREATED' | null>");
  expect(typeOf(column('step', { type: 'int2', check: 'CHECK ((step = ANY (ARRAY[15, 300])))' }))).toBe('15 | 300');
});

test('any other check leaves the type as it is', () => {
  expect(typeOf(column('size', { type: 'int4', check: 'CHECK ((size > 0))' }))).toBe('number');
});

test('a jsonb is what is said of it, imported from where that is', () => {
  const cargo = column('cargo', { type: 'jsonb', isNullable: true });
  const text = tableTypes([cargo], { columns: { 'ship.cargo': 'Cargo' }, sources: { '@slipway/contract/cargo.ts': ['Cargo'] } });
  expect(text).toContain("import type { Cargo } from '@slipway/contract/cargo.ts';");
  expect(text).toContain('  cargo: Json<Cargo> | null;');
});

test('a jsonb of which nothing is said is refused', () => {
  expect(() => typeOf(column('cargo', { type: 'jsonb' }))).toThrow('ship.cargo is a jsonb');
});

test('what is said of a column that is not there is refused', () => {
  expect(() => typeOf(column('name'), { 'ship.cargo': 'Cargo' })).toThrow('there is no ship.cargo');
});

test('a text whose values no check lists can be said, and an array of it', () => {
  expect(typeOf(column('scopes', { isArray: true }), { 'ship.scopes': 'Scope' })).toBe('Scope[]');
});
