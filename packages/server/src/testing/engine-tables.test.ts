/** An engine that keeps rows has a copy of its tables, so that it runs without the platform. The platform's migrations must create the same. */
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tables as identity } from '@slipway/identity/tables.ts';
import { engineDatabase } from '@slipway/postgres/testing/test-server.ts';
import { tables as registry } from '@slipway/registry/tables.ts';
import { tables as schemas } from '@slipway/schemas/registry/tables.ts';
import { testDatabase, type TestDatabase } from './database.ts';

let platform: TestDatabase;
beforeAll(async () => {
  platform = await testDatabase();
});
afterAll(() => platform.drop());

/** One line for each fact about the tables of the schema `public`, and their functions. */
const FACTS = `
  select 'column ' || table_name || '.' || column_name || ' ' || udt_name || ' ' || is_nullable || ' ' || coalesce(column_default, '')
    || ' ' || is_identity || ' ' || coalesce(collation_name, '') as fact from information_schema.columns where table_schema = 'public'
  union all select 'index ' || indexdef from pg_indexes where schemaname = 'public'
  union all select 'constraint ' || conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint
    where connamespace = 'public'::regnamespace and contype in ('c', 'f', 'p', 'u')
  union all select 'trigger ' || pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
  union all select 'function ' || pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace and prokind = 'f'
  union all select 'view ' || viewname || ' ' || definition from pg_views where schemaname = 'public'`;
const factsOf = async (pool: Pool): Promise<readonly string[]> => (await pool.query<{ fact: string }>(FACTS)).rows.map(({ fact }) => fact);

/** Returns the facts about an engine's own tables that one has and the other has not. */
const differences = async (tables: string): Promise<{ readonly missing: readonly string[]; readonly more: readonly string[] }> => {
  const engine = await engineDatabase(tables);
  const [own, all] = [await factsOf(engine.pool), await factsOf(platform.pool)];
  await engine.drop();
  const names = new Set(own.flatMap((fact) => /^column (\w+)\./.exec(fact)?.[1] ?? []));
  const isAboutOwn = (fact: string): boolean =>
    [...names].some((name) => new RegExp(`^(?:column|constraint|view) ${name}\\b|\\bON public\\.${name}\\b`).test(fact));
  return { missing: own.filter((fact) => !all.includes(fact)), more: all.filter((fact) => isAboutOwn(fact) && !own.includes(fact)) };
};

test.each([
  ['schema registry', schemas],
  ['container registry', registry],
])('the tables of the %s are those of the migrations', async (_, tables) => {
  expect(await differences(tables)).toEqual({ missing: [], more: [] });
});

test('the tables of the identity provider are those of the migrations, which add to identities alone', async () => {
  const { missing, more } = await differences(identity);
  expect(missing).toEqual([]);
  expect(more.filter((fact) => !/\bidentity\b/.test(fact))).toEqual([]);
});

test('a column that a migration adds is noticed', async () => {
  const { more } = await differences(registry.replace("description text not null default '',", ''));
  expect(more).toEqual([expect.stringContaining('column registry_robot.description')]);
});
