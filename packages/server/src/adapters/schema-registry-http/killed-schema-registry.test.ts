// @long: starts, ends and kills programs
/**
 * Kills the registry with kill -9 between a write and its answer: acknowledged writes survive, unacknowledged ones can be retried, and
 * nothing is half-written.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HttpSchemaRegistry } from './http-schema-registry.ts';
import type { SchemaText } from '#ports/schema-registry.ts';
import { testDatabase, type TestDatabase } from '#testing/database.ts';

let database: TestDatabase;
let child: ChildProcess | undefined;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  child?.kill('SIGKILL');
  await database.drop();
});

const start = async (): Promise<HttpSchemaRegistry> => {
  const program = join(import.meta.dirname, 'killed-schema-registry.fixture.ts');
  child = spawn(process.execPath, [program, JSON.stringify(database.config)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [url] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
  return new HttpSchemaRegistry({ registries: { development: { url, authorization: 'Bearer tests' } } });
};
const kill = async (): Promise<void> => {
  const ended = once(child!, 'exit');
  child!.kill('SIGKILL');
  await ended;
};

const SUBJECTS = 4;
const VERSIONS = 12;
const subjectOf = (index: number): string => `killed.topic${index}-value`;
/** Each version has one field more than the previous one. */
const textOf = (subject: number, version: number): SchemaText => ({
  type: 'AVRO',
  content: JSON.stringify({
    type: 'record',
    name: `Topic${subject}`,
    fields: Array.from({ length: version }, (_, index) => ({ name: `f${index}`, type: 'string', default: '' })),
  }),
});

/** Continues from the registry's current state. Stops when the registry no longer answers. */
const registerAll = async (registry: HttpSchemaRegistry, acknowledged: Map<string, number>, noted: () => void): Promise<void> => {
  const one = async (subject: number): Promise<void> => {
    for (let version = 1; version <= VERSIONS; version++) {
      const made = await registry.register('development', subjectOf(subject), textOf(subject, version));
      expect(made.version).toBe(version);
      acknowledged.set(`${subjectOf(subject)} ${version}`, made.id);
      noted();
    }
  };
  await Promise.allSettled(Array.from({ length: SUBJECTS }, (_, index) => one(index)));
};

test('registrations while the registry is killed', async () => {
  const acknowledged = new Map<string, number>();
  for (const after of [5, 20, Infinity]) {
    const registry = await start();
    let count = 0;
    let killing: Promise<void> | undefined;
    await registerAll(registry, acknowledged, () => {
      if (++count === after) killing = kill();
    });
    await killing;
  }
  expect(acknowledged.size).toBe(SUBJECTS * VERSIONS);
  const { rows } = await database.pool.query<{ place: string; id: number }>(
    `select subject || ' ' || version as place, content_id as id from schema_registry_version where environment = 'development'`,
  );
  expect(new Map(rows.map(({ place, id }) => [place, id]))).toEqual(acknowledged);
  const orphans = await database.pool.query(
    `select from schema_registry_content c where not exists
       (select from schema_registry_version v where v.environment = c.environment and v.content_id = c.id)`,
  );
  expect(orphans.rowCount).toBe(0);
});
