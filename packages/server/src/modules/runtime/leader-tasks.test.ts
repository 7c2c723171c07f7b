// @long (shared process): tries rare cases that take long
/** The tasks of the replica that holds the runtime, by their own clock: they measure, scale, scrape and sweep without being called. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { quickstartApplicationCreate } from '@slipway/contract/quickstart.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { good } from '#testing/programs.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({
    templates: async () => good('one'),
    runtimeTimings: { beatMs: 600, figuresMs: 200, thinOutMs: 300, idleSweepMs: 300 },
  });
  await app.run('member', quickstartApplicationCreate, { body: { id: 'berth', teamId: 'cranes', template: 'node-web' } });
});
afterAll(() => app?.close());

const rows = async <Row extends object>(text: string): Promise<Row[]> => (await app.database.pool.query<Row>(text)).rows;
const change = (path: string, value: object) =>
  rows(`update service set spec = jsonb_set(spec, '{${path}}', spec #> '{${path}}' || '${JSON.stringify(value)}'::jsonb)`);
const wanted = async () => (await rows<{ wanted: number }>('select replicas_wanted as wanted from revision'))[0]?.wanted;
const soon = <T>(look: () => T) => expect.poll(look);

test('what instances use becomes points, thinned out while they come', async () => {
  await soon(() => rows('select 1 from revision_metric where cpu_millicores is not null and ready = 1')).not.toEqual([]);
  await soon(() => rows('select 1 from service_metric where step_seconds = 15')).not.toEqual([]);
  await rows(`update revision_metric set at = at - interval '1 hour'`);
  await soon(() => rows('select 1 from revision_metric where step_seconds = 300')).not.toEqual([]);
});

test('a metrics endpoint is asked as soon as it is switched on', async () => {
  await change('observability,metrics', { enabled: true, path: '/' });
  await soon(() => rows('select is_up from service_scrape')).toEqual([{ is_up: false }]);
});

test('bounds of scaling are kept', async () => {
  await change('template,replicaScaling', { scalingType: 'AUTO', minReplicas: 2, maxReplicas: 2 });
  await soon(wanted).toBe(2);
  await soon(() => rows(`select 1 from instance where state = 'READY'`)).toHaveLength(2);
});

test('idle services are swept', async () => {
  await rows(`update service set created_at = now() - interval '2 days', spec = spec || '{"scaleDownAfterDays":1}'`);
  await rows(`update pipeline_run set ended_at = now() - interval '2 days'`);
  await rows(`update revision set created_at = now() - interval '2 days'`);
  await soon(wanted).toBe(0);
  await soon(() => rows('select status from revision')).toEqual([{ status: 'NO_INSTANCES' }]);
});
