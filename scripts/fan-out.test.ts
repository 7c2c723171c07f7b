/** The rule against work for every row at once must be seen to refuse what it is for, and nothing else. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-fan-out-'));
  const plugin = join(root, 'scripts/lint/fan-out.mjs');
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ jsPlugins: [plugin], rules: { 'slipway/fan-out': 'error' } }));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The numbers of the lines that are refused. */
const refused = (...lines: string[]): number[] => {
  writeFileSync(join(folder, 'a.ts'), `${lines.join('\n')}\n`);
  const bin = join(root, 'node_modules/.bin/oxlint');
  const lint = spawnSync(bin, ['--config', 'config.json', '--format', 'json', '--quiet', 'a.ts'], { cwd: folder, encoding: 'utf8' });
  const { diagnostics } = JSON.parse(lint.stdout) as { diagnostics: { code: string; labels: { span: { line: number } }[] }[] };
  return diagnostics.filter(({ code }) => code.includes('fan-out')).map(({ labels }) => labels[0]?.span.line ?? 0);
};

test('promises over a list are refused, however the list is made', () => {
  expect(
    refused(
      'await Promise.all(rows.map(load));',
      'await Promise.allSettled(pending);',
      'const [first, ...rest] = await Promise.all([load(1), ...rows.map(load)]);',
      'await Promise.race(rows.map(load)), await Promise.any(rows.map(load));',
      'return Promise.all(rows.map(load)).then(done);',
    ).toSorted(),
  ).toEqual([1, 2, 3, 4, 4, 5]);
});

test('calls in a loop that nobody waits for are refused', () => {
  expect(
    refused(
      'for (const row of rows) void send(row);',
      'for (const row of rows) { if (row) { void send(row).catch(warn); } }',
      'rows.forEach((row) => void send(row));',
      'while (next()) void send();',
    ),
  ).toEqual([1, 2, 3, 4]);
});

test('a list that is written out, a call that is awaited, and a handler that is set in a loop are not', () => {
  expect(
    refused(
      'const [one, two] = await Promise.all([load(1), load(2)]);',
      'for (const row of rows) await send(row);',
      "for (const row of rows) row.on('end', () => void send(row));",
      'void send(rows);',
      'await all(rows.map(load));',
    ),
  ).toEqual([]);
});
