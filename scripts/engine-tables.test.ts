/** An engine that keeps rows has a copy of its tables, so that it runs without the platform. The platform's migrations must create the same. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

test('the tables of the schema registry are those of the migration', () => {
  expect(read('engines/schemas/src/registry/tables.sql')).toBe(read('packages/server/migrations/0030_schema_registry.sql'));
});
