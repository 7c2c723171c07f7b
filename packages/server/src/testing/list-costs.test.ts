// @long (shared process): fills tables with many rows
/**
 * Checks that the cost of a list page does not grow with the amount of data.
 * Measures every list route at one size and at ten times that size.
 */
import * as z from 'zod/mini';
import { afterAll, expect, test } from 'vitest';
import { resources, routes } from '@slipway/contract/routes.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { testApp, type Request, type TestApp } from './app.ts';
import { seedListLoad } from './load/list-load.ts';
import { readBy } from './load/rows-read.ts';

/** Above the thousand that lists are counted to: what is counted stays the same. */
const APPS = 1100;

/** A filter of the activity log looks at the newest 10,000 entries, and counts them first. */
const logWindow = 25_000;

let apps: TestApp[] = [];
afterAll(() => Promise.all(apps.map((app) => app.close())));

/** Names an app that exists at both sizes in one of the caller's teams, and its service. */
interface Place {
  readonly app: string;
  readonly service: string;
}
type Asked = (place: Place) => Request;
const page = (query: Readonly<Record<string, unknown>> = {}): Asked[] => [() => ({ query })];
const inApp: Asked = ({ app }) => ({ params: { app, env: 'development' } });
const ofService: Asked = ({ app, service }) => ({ params: { app, env: 'development', service } });
const ofGroup: Asked = (place) => ({ params: { ...inApp(place).params, group: 'database' } });
const ofImages: Asked = ({ app, service }) => ({ params: { app, env: 'development', repository: service } });
const ofImage: Asked = (place) => ({ params: { ...ofImages(place).params, tag: 'v1' } });
const ofTeam: Asked = () => ({ params: { team: 'team-1' } });

/** Every list route stands here, with what it may be asked. */
const table: Readonly<Record<string, readonly Asked[]>> = {
  applicationSummaryList: [
    ...[{}, { mine: true }, { page: 20 }, { sort: 'name' }, { sort: '-team' }, { sort: 'lastDeploy' }, { health: 'FAILING' }].flatMap(page),
    ...[{ query: 'load' }, { query: 'e' }, { query: 'nowhere' }, { query: 'load', mine: true }, { team: 'team-7' }].flatMap(page),
    ({ app }) => ({ query: { query: app } }),
  ],
  applicationList: [{}, { query: 'load' }, { sort: '-createdAt' }, { sort: 'team' }, { identityId: 'olga' }].flatMap(page),
  applicationListV1: page(),
  teamList: [{}, { query: 'team-7 ' }, { identityId: 'olga' }].flatMap(page),
  teamListV1: page(),
  identityList: [{}, { query: 'olga' }].flatMap(page),
  pipelineList: [
    ...[{}, { page: 20 }, { state: 'FAILED' }, { state: 'CANCELED' }, { active: true }, { type: 'Deploy' }, { type: 'None' }].flatMap(page),
    ...[{ trigger: 'push' }, { team: 'team-7' }, { query: 'deploy' }, { query: 'nowhere' }, { sort: 'createdAt' }].flatMap(page),
    ({ app }) => ({ query: { app } }),
    ({ app }) => ({ query: { query: app } }),
  ],
  serviceList: [inApp],
  servicePipelineList: [ofService],
  revisionList: [ofService],
  appActivityList: [inApp, (place) => ({ ...inApp(place), query: { query: 'nowhere' } })],
  teamActivityList: [ofTeam, (place) => ({ ...ofTeam(place), query: { level: 'ERROR' } })],
  activityList: [{}, { team: 'team-1' }, { level: 'ERROR', from: '2099-01-01' }].flatMap(page),
  secretGroupList: [inApp, (place) => ({ ...inApp(place), query: { query: 'data' } })],
  secretVersionList: [ofGroup],
  imageRepositoryList: [inApp, (place) => ({ ...inApp(place), query: { sort: '-sizeBytes' } })],
  imageTagList: [ofImages, (place) => ({ ...ofImages(place), query: { sort: 'tag' } })],
  databaseBackupListAll: [inApp, (place) => ({ ...inApp(place), query: { isOfDeleted: 'true' } })],
  requestList: [
    ...[{}, { view: 'mine' }, { view: 'decided' }, { view: 'all' }, { team: 'team-1' }].flatMap(page),
    ...['mine', 'decided', 'all'].flatMap((view) => page({ team: 'team-1', view })),
    ...[{}, { view: 'all' }].map((query): Asked => ({ app }) => ({ query: { ...query, app } })),
  ],
  imageVulnerabilityList: [ofImage, (place) => ({ ...ofImage(place), query: { severity: 'high', query: 'cve' } })],
  imagePackageList: [ofImage, (place) => ({ ...ofImage(place), query: { query: 'package' } })],
};
/** Lists of what one thing holds, of which nobody makes a load here: the resource kernel reads them as it reads the secret groups of an app. */
const small: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    resources.flatMap(({ list, shape }) => (list && shape.kind.under ? [[list.id, `what one ${shape.kind.under.kind} holds`]] : [])),
  ),
  webhookDeliveryList: 'has a log of 100,000 in delivery-log.test.ts',
  flagVersionList: 'what one flag holds',
  databaseBackupList: 'what one database holds',
  topicGrantList: 'what one app asks and is asked',
  topicGrantTeamList: 'what one team asks and is asked',
  schemaVersionList: 'what one schema holds',
};

const isPage = ({ response }: RouteShape): boolean =>
  response !== undefined && 'shape' in response && Object.hasOwn((response as z.ZodMiniObject).shape, 'totalElements');

test('every list route has its place in the table', () => {
  const lists = routes.filter(isPage).map(({ id }) => id);
  expect(lists.length).toBeGreaterThan(10);
  expect(lists.filter((id) => !table[id] && !small[id])).toEqual([]);
});

/** Plans are looked at meanwhile, so that the connection may have been closed as idle: asked again, then. */
const answerOf = async (app: TestApp, route: RouteShape, request: Request) => {
  const caller = route.access.startsWith('administrator') ? 'administrator' : 'owner';
  try {
    return await app.call(caller, route, request);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return app.call(caller, route, request);
  }
};

const filled = async ({ database }: TestApp, count: number): Promise<Place> => {
  const client = await database.pool.connect();
  try {
    await seedListLoad(client, { apps: count, member: 'olga' });
    const { rows } = await client.query<Place>(
      `select app_id as app, name as service from service where app_id in (select id from app where team_id = 'team-1')
       order by length(app_id), app_id limit 1`,
    );
    return rows[0]!;
  } finally {
    client.release();
  }
};

const measured = async (count: number): Promise<Map<string, { rows: number; blocks: number }>> => {
  const app = await testApp({ isWorker: false });
  apps = [...apps, app];
  const place = await filled(app, count);
  const costs = new Map<string, { rows: number; blocks: number }>();
  for (const route of routes.filter(({ id }) => table[id])) {
    for (const [index, asked] of (table[route.id] ?? []).entries()) {
      const request = asked(place);
      const call = async () => expect(await answerOf(app, route, request), route.id).toMatchObject({ status: 200 });
      // Once before: who calls is remembered.
      await call();
      const query = JSON.stringify(request.query ?? {}).replaceAll(place.app, '{app}');
      costs.set(`${route.id} ${index} ${query}`, await readBy(app.database.pool, call));
    }
  }
  return costs;
};

test('no list reads more when there is ten times as much', { timeout: 420_000 }, async () => {
  const few = await measured(APPS);
  const many = await measured(APPS * 10);
  const lines = [...few].map(([name, cost]) => ({ name, few: cost, many: many.get(name)! }));
  if (process.env['TEST_COSTS'])
    console.table(
      lines.map(({ name, few, many }) => ({ name, few: few.rows, many: many.rows, 'few blocks': few.blocks, 'many blocks': many.blocks })),
    );
  // Where the few are less than a thousand, the many are counted, found and sorted that far.
  // All requests are found by holder and by kind, each counted that far.
  const sources = (name: string): number => (name.startsWith('requestList 3') ? 2 : 1);
  const allowed = (name: string, rows: number): number =>
    name.startsWith('teamActivityList 1') ? logWindow : rows * 1.5 + 3300 * sources(name);
  const grown = lines.filter(({ name, few, many }) => many.rows > allowed(name, few.rows));
  expect(grown).toEqual([]);
});
