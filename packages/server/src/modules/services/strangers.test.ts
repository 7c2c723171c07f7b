/** No response to an outsider contains data that only the team may read (decisions §2, §9). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { routes } from '@slipway/contract/routes.ts';
import type { ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import { recordActivity } from '#modules/activity/index.ts';
import { testApp, type TestApp } from '#testing/app.ts';
import { subjectNamed } from '#testing/subject-named.ts';
import { seedApp, seedPipeline, seedRevision, seedSecretGroup, seedService } from '#testing/fixtures.ts';

let app: TestApp;
/** Part of every private value. */
const OWN = 'zebra';
const params = {
  app: 'berth',
  env: 'development',
  service: 'berth',
  revision: 'berth-1',
  team: 'cranes',
  pipelineId: 'pl_own',
  step: 'StartInstances',
  group: `${OWN}-group`,
  name: 'berth',
  identityId: 'olga',
  productCode: 'none',
  repository: 'berth',
  tag: 'latest',
  robot: 'ci',
  webhook: 'scans',
  delivery: 'msg_0',
  database: 'orders',
  backup: 'bak_0',
  schema: 'position',
  version: '1',
  topic: 'orders',
  account: 'writer',
  grant: 'grant_0',
  request: 'REQ-1',
  requestId: 'REQ-1',
  status: 'PENDING',
  appId: 'MAC-1',
  platformId: 'PLT-0901',
  portfolioId: 'PFO-001',
  productId: 'PRD-0001',
  monitor: `${OWN}-web`,
  errorId: 'err_0',
  traceId: 'a'.repeat(32),
  session: 'none',
  release: '1',
  file: 'index.js',
  importId: 'imp_0',
  flag: `${OWN}-berth-flag`,
  key: 'web',
};

beforeAll(async () => {
  app = await testApp({ isWorker: false });
  const { db, pool } = app.database;
  const change = (spec: ServiceSpec): ServiceSpec => ({
    ...spec,
    observability: { metrics: { ...spec.observability.metrics, enabled: true } },
    template: {
      ...spec.template,
      healthCheck: { ...spec.template.healthCheck, exec: { command: ['check', `--token=${OWN}-token`] } },
      envVars: [
        { name: `${OWN}_NAME`, source: 'STATIC', value: `${OWN}-value` },
        { name: 'KEY', source: 'SECRET_KEY', secretGroup: `${OWN}-group`, secretKey: 'PASSWORD' },
      ],
      secretFileMounts: [{ mountPath: `/${OWN}`, secretGroup: `${OWN}-group`, includeAllKeys: true, fileFormat: 'env', secretKey: null }],
    },
  });
  await seedApp(db, { id: 'berth' });
  const serviceId = await seedService(db, { app: 'berth', serving: ['berth-1'], change });
  const revisionId = await seedRevision(db, { serviceId, service: 'berth', number: 1, status: 'FAILING', change });
  await seedSecretGroup(db, { app: 'berth', name: `${OWN}-group`, services: [serviceId] });
  await pool.query('update revision set secret_versions = $1, pipeline_id = $2', [{ [`${OWN}-group`]: 1 }, 'pl_own']);
  const about = { subject: 'service:berth/development/berth', app: 'berth', service: 'berth' };
  await seedPipeline(db, { id: 'pl_own', type: 'Deploy', ...about, state: 'FAILED' });
  const message = { code: 'CrashLoop', context: { exit: 'exit code 1', lastLine: `It said: ${OWN}` } };
  await pool.query(`update pipeline_step set code = 'StartInstances', message = $1`, [message]);
  await pool.query(`update pipeline_run set status_message = $1, input = $2`, [{ step: 'StartInstances', ...message }, { own: OWN }]);
  await pool.query(
    `insert into pipeline_log (run_id, step_index, number, at, level, line) values ('run-pl_own', 0, 1, now(), 'INFO', $1)`,
    [OWN],
  );
  const sample = { name: `${OWN}_total`, labels: {}, value: '1' };
  const families = [
    { instance: 'i', revision: 'berth-1', families: [{ name: sample.name, type: 'counter', help: null, samples: [sample] }] },
  ];
  await pool.query(`insert into service_scrape (service_id, at, is_up, error, families) values ($1, now(), false, $2, $3)`, [
    serviceId,
    OWN,
    JSON.stringify(families),
  ]);
  await pool.query(`insert into instance (id, revision_id, state, since, restarts, node) values ('i', $1, 'CRASHED', now(), 2, 'n')`, [
    revisionId,
  ]);
  await pool.query(
    `insert into monitor (id, app_id, environment, name, app_key, api_key, allowed_origins, sample_percent, retention_days, salt, created_by, created_by_name)
     values ('mon_own', 'berth', 'development', $1, $2, 'key', '{*}', 100, 30, 'salt', 'olga', 'Olga')`,
    [`${OWN}-web`, OWN],
  );
  await pool.query(
    `insert into flag (id, app_id, name, description, type, created_by, created_by_name, updated_by, updated_by_name)
       values ('flag_own', 'berth', $1, '', 'BOOLEAN', 'olga', 'Olga', 'olga', 'Olga')`,
    [`${OWN}-berth-flag`],
  );
  await pool.query(
    `insert into flag_version (flag_id, environment, version, enabled, value, rules, comment, created_by, created_by_name)
       select 'flag_own', environment, 1, false, 'false', '[]', $1, 'olga', 'Olga' from unnest(array['development', 'production']) environment`,
    [OWN],
  );
  await recordActivity(db, {
    type: 'serviceUpdate',
    reason: 'Settings',
    message: OWN,
    actor: { id: 'olga', displayName: 'Olga' },
    origin: 'console',
    outcome: 'DONE',
    subject: subjectNamed('service:berth/development/berth', 'cranes'),
    after: { value: OWN },
  });
});
afterAll(() => app?.close());

const reads = routes.filter(({ method, stream, access }) => method === 'GET' && stream !== 'events' && access !== 'public');

test.each(reads.map((route) => [route.id, route] as const))('%s', async (_id, route) => {
  const query = { format: 'json', range: '1h', query: 'berth' };
  const answer = await app.call('stranger', route, { params, query });
  expect(JSON.stringify(answer.body).toLowerCase()).not.toContain(OWN);
});

test('a member reads it: the test would see it', async () => {
  const seen: string[] = [];
  for (const route of reads) {
    const answer = await app.call('member', route, { params, query: { format: 'json', range: '1h', query: 'berth' } });
    if (JSON.stringify(answer.body).toLowerCase().includes(OWN)) seen.push(route.id);
  }
  expect(seen).toEqual(
    expect.arrayContaining([
      'serviceView',
      'serviceList',
      'revisionView',
      'pipelineView',
      'serviceYamlView',
      'serviceMetrics',
      'serviceScrape',
      'monitorView',
      'flagList',
      'flagView',
      'flagVersionList',
    ]),
  );
});
