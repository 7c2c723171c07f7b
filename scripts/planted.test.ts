/** Rules of `npm run check` that must be seen to refuse what they are for: in a copy of their configuration, with planted violations. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-planted-'));
  for (const path of ['.oxlintrc.json', 'scripts/lint', 'scripts/words.ts', 'docs/glossary.md']) {
    cpSync(join(root, path), join(folder, path), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const plant = (file: string, lines: readonly string[]): void => {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), `${lines.join('\n')}\n`);
};
const run = (program: string, ...args: string[]) => spawnSync(program, args, { cwd: folder, encoding: 'utf8' });

/** Returns the numbers of the lines in which the lint of `npm run check` refuses a condition. */
const refused = (file: string, lines: readonly string[]): number[] => {
  plant(file, lines);
  const { stdout } = run(join(root, 'node_modules/.bin/oxlint'), '--quiet', '--format', 'json', 'packages');
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; labels: { span: { line: number } }[] }[] };
  const found = diagnostics.filter(({ code }) => code.includes('one-place')).map(({ labels }) => labels[0]?.span.line ?? 0);
  return found.toSorted((one, other) => one - other);
};

/** Each line is a condition of its own, by hand. */
const byHand = [
  "await db.selectFrom('topic').where('app_id', '=', app).where('environment', '=', environment).execute();",
  "await db.selectFrom('topic').select('id').where('topic.app_id', '=', app).where('topic.name', '=', name).execute();",
  "let rows = db.updateTable('topic').where('name', '=', name).set({ x }).where('app_id', '=', app);",
  "await db.deleteFrom('topic').where(({ and }) => and({ app_id: app, environment, name })).execute();",
  'await sql`update topic set x = 1 where app_id = ${app} and name = ${name}`.execute(db);',
  'await sql<Row>`select from topic where topic.app_id = ${app} and x and topic.environment=${environment} and x`.execute(db);',
];
test('a condition on app, environment and name is refused outside of place.ts', () => {
  expect(refused('packages/server/src/modules/teams/bad.ts', byHand)).toEqual(byHand.map((_, index) => index + 1));
});
test('a condition by place.ts, on other columns, of tables without environments or between columns is not', () => {
  const good = [
    "await db.selectFrom('topic').where(placeSql(place, 'topic', name)).where('state', '=', 'ACTIVE').execute();",
    "await db.selectFrom('topic').where(({ and }) => and(rowAt(place, name))).execute();",
    "await db.selectFrom('topic').where('app_id', '=', app).execute();",
    "await db.selectFrom('topic').where('environment', '=', environment).where('display_name', '=', name).execute();",
    "await db.selectFrom('webhook').where('app_id', '=', app).where('name', '=', name).execute();",
    "await db.insertInto('topic').values({ app_id: app, environment, name }).execute();",
    'sql`select from topic join service on service.app_id = topic.app_id and service.environment = topic.environment where id = ${id}`;',
    'sql`select from topic where app_id = ${app} and display_name = ${name}`;',
  ];
  expect(refused('packages/server/src/modules/teams/good.ts', good)).toEqual([]);
  expect(refused('packages/server/src/modules/resources/place.ts', byHand)).toEqual([]);
});

test('a doc comment without a subject is refused, with its file and line', () => {
  const [open, close] = ['/' + '**', '*' + '/'];
  const words = () => run(process.execPath, 'scripts/words.ts');
  plant('packages/server/src/modules/teams/team.ts', [`${open} Returns the row. ${close}`]);
  expect([words().status, words().stderr]).toEqual([0, '']);
  plant('packages/server/src/modules/teams/bad.ts', ['const x = 1;', `${open} What the row holds. ${close}`]);
  expect(words().status).toBe(1);
  expect(words().stderr).toContain('packages/server/src/modules/teams/bad.ts:2: a doc comment that begins “What” has no subject');
});
