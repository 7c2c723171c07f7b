// @long (shared process): fills tables with many rows
/** Checks that a page of tags reads as many rows with twenty thousand tags as with two thousand. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { imageRepositoryList, imageTagList, imageTagView } from '@slipway/contract/registry/images.ts';
import { containerRegistryView } from '@slipway/contract/registry/project.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { foldUsage } from '@slipway/registry/quota/usage.sql.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { seedApp } from '#testing/fixtures.ts';
import { readBy } from '#testing/load/rows-read.ts';

const [FEW, MANY] = [2000, 20_000];
let app: TestApp;

const seed = async (id: string, tags: number): Promise<void> => {
  const { db, pool } = app.database;
  await seedApp(db, { id });
  await app.adapters.registry.projectEnsure(id, `app:${id}`);
  const statements = [
    `insert into registry_repository (name, project, created_at, updated_at) values ($1 || '/web', $1, now(), now())`,
    `insert into registry_blob (digest, size_bytes, stored_at)
       select 'sha256:' || encode(sha256(($1 || n)::bytea), 'hex'), 1000, now() from generate_series(1, ${tags}) n`,
    `insert into registry_blob_link (repository, digest, linked_at) select $1 || '/web', digest, now() from registry_blob
       where digest in (select 'sha256:' || encode(sha256(($1 || n)::bytea), 'hex') from generate_series(1, ${tags}) n)`,
    `insert into registry_manifest (repository, digest, media_type, size_bytes, content_bytes, pushed_at, images)
       select repository, digest, 'application/vnd.oci.image.manifest.v1+json', 500, 1000, now(), '{}' from registry_blob_link
       where repository = $1 || '/web'`,
    `insert into registry_tag (repository, name, digest, pushed_at)
       select repository, 'v' || row_number() over (order by digest), digest, now() - make_interval(mins => row_number() over (order by digest)::integer)
       from registry_manifest where repository = $1 || '/web'`,
  ];
  for (const statement of statements) await pool.query(statement, [id]);
  await db
    .insertInto('container_registry')
    .values({
      app_id: id,
      policy: JSON.stringify({
        isPublic: false,
        preventVulnerableImages: false,
        severity: 'high',
        allowedCves: [],
        retention: { keepNewest: 10, keepDays: null, keepPattern: null },
      }),
    })
    .execute();
};

beforeAll(async () => {
  app = await testApp({ isWorker: false });
  await seed('few', FEW);
  await seed('many', MANY);
  // Garbage collection does the same.
  for (const project of ['few', 'many']) await foldUsage(app.database.pool, project);
  await app.database.pool.query('analyze');
}, 120_000);
afterAll(() => app?.close());

test.each<[string, RouteShape, object]>([
  ['the newest tags', imageTagList, {}],
  ['tags by name', imageTagList, { sort: 'tag' }],
  ['tags that something runs', imageTagList, { isRunning: true }],
  ['repositories', imageRepositoryList, {}],
  ['one image', imageTagView, {}],
  ['the project', containerRegistryView, {}],
])('%s', async (_name, route, query) => {
  const read = (id: string) =>
    readBy(app.database.pool, async () => {
      const params = { app: id, env: 'development', repository: 'web', tag: 'v7' };
      expect(await app.call('member', route, { params, query: { ...query } })).toMatchObject({ status: 200 });
    });
  await read('few');
  const [few, many] = [await read('few'), await read('many')];
  expect(many.rows).toBeLessThan(few.rows * 1.5 + 100);
});
