/** The page on configuration names every variable of the schema, and none that there is not. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const schema = readFileSync(join(root, 'packages/server/src/kernel/config.ts'), 'utf8');
const page = readFileSync(join(root, 'docs/configuration.md'), 'utf8');
const [mainTable = ''] = page.split('\n## ');

const names = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name = '']) => name).sort();
const inSchema = names(schema, /^ {2}([A-Z][A-Z_]+):/gm);

test('every variable is described, and no other', () => {
  // The schema is read as text, so its layout could change unseen.
  expect(inSchema).toContain('DATABASE_URL');
  expect(inSchema.length).toBeGreaterThan(20);
  expect(names(mainTable, /^\| `([A-Z_]+)` \|/gm)).toEqual(inSchema);
});

test('what the schema reads elsewhere in the file is a variable of the schema', () => {
  const used = new Set(names(schema, /\b(?:env|data)\.([A-Z][A-Z_]+)/g));
  expect([...used].filter((name) => !inSchema.includes(name))).toEqual([]);
});
