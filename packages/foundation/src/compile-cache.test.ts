/** Runs in separate processes, because each process sets its compile cache only once. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const directory = mkdtempSync(join(tmpdir(), 'slipway-compiled-'));
afterAll(() => rmSync(directory, { recursive: true }));

const module = JSON.stringify(join(import.meta.dirname, 'compile-cache.ts'));
const answerOf = (before: string): unknown => {
  const program = `${before}; const { compileCacheEnv } = await import(${module}); console.log(JSON.stringify(compileCacheEnv()))`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', program], { env: {}, encoding: 'utf8' });
  return JSON.parse(output);
};

test('children keep compiled code where this process does', () => {
  const kept = answerOf(`(await import('node:module')).enableCompileCache(${JSON.stringify(directory)})`);
  expect(kept).toEqual({ NODE_COMPILE_CACHE: directory });
  const before = readdirSync(directory, { recursive: true }).length;
  execFileSync(process.execPath, [join(import.meta.dirname, 'no-space.ts')], { env: { ...(kept as object) }, encoding: 'utf8' });
  expect(readdirSync(directory, { recursive: true }).length).toBeGreaterThan(before);
});

test('where nothing is kept they keep nothing either', () => {
  expect(answerOf('')).toEqual({});
});
