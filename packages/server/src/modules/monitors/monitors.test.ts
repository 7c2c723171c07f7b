/** Browser monitors over HTTP: settings with each error code, and what the pages read. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  monitorCreate,
  monitorDelete,
  monitorErase,
  monitorForward,
  monitorList,
  monitorSourceMapDelete,
  monitorSourceMapList,
  monitorSourceMapUpload,
  monitorUpdate,
  monitorView,
  sourceMapLimits,
  type Monitor,
  type MonitorSourceMap,
} from '@slipway/contract/monitoring/monitor.ts';
import {
  monitorCallList,
  monitorErrorList,
  monitorErrorUpdate,
  monitorErrorView,
  monitorSessionList,
  monitorSessionView,
  monitorVitalsView,
  type MonitorCall,
  type MonitorError,
  type MonitorErrorDetail,
  type MonitorSession,
  type MonitorVitals,
  type SessionEvent,
} from '@slipway/contract/monitoring/readings.ts';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import { errorsOf } from '#testing/app.ts';
import { called, failure, inEnvironment, monitorWorld, ORIGIN, payloadOf, vital, type MonitorWorld } from './monitors.fixture.ts';

let world: MonitorWorld;
beforeAll(async () => {
  world = await monitorWorld();
});
afterAll(() => world?.app.close());

const at = (monitor: Monitor, more: Readonly<Record<string, string>> = {}) => ({
  params: { ...inEnvironment, monitor: monitor.name, ...more },
});
const send = async (monitor: Monitor, payload: object): Promise<void> => {
  const answer = await world.send(monitor, payload);
  expect(answer.status, await answer.text()).toBe(202);
};

test('creates, lists, changes and deletes a monitor', async () => {
  const made = await world.make('plans-web', { samplePercent: 40 });
  expect(made).toMatchObject({ allowedOrigins: [ORIGIN], samplePercent: 40, retentionDays: 30, forwarding: null, lastSeenAt: null });
  expect(made.collectorUrl).toBe(`${world.app.url}/collect/${made.appKey}`);
  const changed = await world.call<Monitor>('member', monitorUpdate, { ...at(made), body: { retentionDays: 90 } });
  expect(changed).toMatchObject({ samplePercent: 40, retentionDays: 90, allowedOrigins: [ORIGIN], apiKey: made.apiKey });
  const { content } = await world.call<Page<Monitor>>('member', monitorList);
  expect(content.map(({ name }) => name)).toContain('plans-web');
  await world.call('member', monitorDelete, at(made));
  expect(errorsOf(await world.app.call('member', monitorView, at(made)))).toEqual([404, 'undefined: MonitorDoesNotExist']);
});

test.each([
  [{}, 'name: Required'],
  [{ name: 'Plans' }, 'name: KebabCase'],
  [{ name: 'ab' }, 'name: MinimumLength'],
  [{ name: 'new' }, 'name: InvalidName'],
  [{ allowedOrigins: [] }, 'allowedOrigins: Required'],
  [{ allowedOrigins: ['plans.example.com'] }, 'allowedOrigins.0: NotAnOrigin'],
  [{ allowedOrigins: ['https://plans.example.com/path'] }, 'allowedOrigins.0: NotAnOrigin'],
  [{ samplePercent: 0 }, 'samplePercent: Minimum'],
  [{ samplePercent: 101 }, 'samplePercent: Maximum'],
  [{ retentionDays: 31 }, 'retentionDays: InvalidValue'],
])('refuses %j', async (body, error) => {
  const valid =
    'name' in body || Object.keys(body).length === 0 ? { allowedOrigins: [ORIGIN] } : { name: 'refused', allowedOrigins: [ORIGIN] };
  const answer = await world.app.call('member', monitorCreate, { params: inEnvironment, body: { ...valid, ...body } });
  expect(errorsOf(answer)).toContain(error);
});

test('refuses a name that is taken', async () => {
  await world.make('taken');
  const answer = await world.app.call('member', monitorCreate, { params: inEnvironment, body: { name: 'taken', allowedOrigins: ['*'] } });
  expect(errorsOf(answer)).toEqual([409, 'name: MonitorAlreadyExists']);
});

test('shows vitals with percentiles, distribution, pages and releases', async () => {
  const monitor = await world.make('vitals');
  for (let index = 0; index < 20; index++)
    await send(
      monitor,
      payloadOf(`v-${index}`, {
        measurements: [vital('lcp', index < 15 ? 1000 : 5000), vital('cls', 0.12), vital('fid', 120)],
        events: [{ name: 'faro.performance.navigation' }],
      }),
    );
  await world.until(async () => {
    const read = await world.call<MonitorVitals>('member', monitorVitalsView, at(monitor));
    expect(read).toMatchObject({ views: 20, sessions: 20, errors: 0, stepSeconds: 3600 });
  });
  for (const range of ['24h', '7d', '30d']) {
    const read = await world.call<MonitorVitals>('member', monitorVitalsView, { ...at(monitor), query: { range } });
    const [lcp, , cls, , , fid] = read.vitals;
    expect(lcp).toMatchObject({ vital: 'LCP', good: 15, needsImprovement: 0, poor: 5, before: null });
    expect(lcp?.p75).toBeGreaterThan(950);
    expect(lcp?.p75).toBeLessThan(1100);
    expect(cls).toMatchObject({ good: 0, needsImprovement: 20, poor: 0 });
    expect(cls?.p75).toBeCloseTo(0.12, 1);
    expect(fid).toMatchObject({ vital: 'FID', good: 0, needsImprovement: 20, poor: 0 });
    expect(read.points.at(-1)?.p75.LCP).toBe(lcp?.p75);
    expect(read.pages).toMatchObject([{ name: '/plans/:id/edit', views: 20, p75: { LCP: lcp?.p75 } }]);
    expect(read.releases).toMatchObject([{ name: '1.4.0', views: 20 }]);
  }
  expect(errorsOf(await world.app.call('member', monitorVitalsView, { ...at(monitor), query: { range: '1y' } }))).toEqual([
    400,
    'range: InvalidValue',
  ]);
  expect((await world.call<Monitor>('member', monitorView, at(monitor))).lastSeenAt).not.toBeNull();
});

test('groups errors, counts users, and opens a resolved error that comes back', async () => {
  const monitor = await world.make('errors');
  for (const [user, number] of [
    ['a', 1],
    ['a', 2],
    ['b', 3],
  ] as const) {
    const payload = payloadOf(`e-${user}`, { exceptions: [failure(`Plan ${number} is gone`)] });
    await send(monitor, { ...payload, meta: { ...(payload['meta'] as object), user: { id: user } } });
  }
  await send(monitor, payloadOf('e-c', { exceptions: [failure('Another failure')] }));
  const list = (query: object = {}) =>
    world.call<{ content: MonitorError[]; total: number }>('member', monitorErrorList, { ...at(monitor), query: { ...query } });
  const { content, total } = await list();
  expect(total).toBe(2);
  const [, plan] = content;
  expect(plan).toMatchObject({
    type: 'TypeError',
    message: 'Plan 3 is gone',
    count: 3,
    users: 2,
    state: 'OPEN',
    firstRelease: '1.4.0',
    isBackAgain: false,
  });
  await world.until(async () => expect((await list()).content[1]?.trend.at(-1)).toBe(3));
  const one = at(monitor, { errorId: plan?.id ?? '' });
  const resolved = await world.call<MonitorErrorDetail>('member', monitorErrorUpdate, { ...one, body: { state: 'RESOLVED' } });
  expect(resolved.state).toBe('RESOLVED');
  expect((await list({ state: 'OPEN' })).total).toBe(1);
  await send(monitor, payloadOf('e-d', { exceptions: [failure('Plan 4 is gone')] }));
  const back = await world.call<MonitorErrorDetail>('member', monitorErrorView, one);
  expect(back).toMatchObject({ state: 'OPEN', isBackAgain: true, count: 4 });
  expect(back.occurrences).toHaveLength(4);
  await world.call('member', monitorErrorUpdate, { ...one, body: { state: 'MUTED' } });
  await send(monitor, payloadOf('e-d', { exceptions: [failure('Plan 5 is gone')] }));
  expect((await world.call<MonitorErrorDetail>('member', monitorErrorView, one)).state).toBe('MUTED');
  expect(errorsOf(await world.app.call('member', monitorErrorView, at(monitor, { errorId: 'err_0' })))).toEqual([
    404,
    'undefined: MonitorErrorDoesNotExist',
  ]);
});

test('translates stacks with the source maps of the release', async () => {
  const monitor = await world.make('maps');
  await send(monitor, payloadOf('m-1', { exceptions: [failure('boom')] }));
  const upload = (release: string, file: string, body: object) =>
    world.app.call('member', monitorSourceMapUpload, { ...at(monitor, { release, file }), body });
  // One segment: line 1, column 0 is line 88, column 5 of TidePanel.tsx, in showWindow.
  const map = { version: 3, sources: ['src/TidePanel.tsx'], sourcesContent: ['secret source'], names: ['showWindow'], mappings: 'AAuFKA' };
  expect((await upload('1.4.0', 'index-4f2a9c1b.js', map)).status).toBe(201);
  const { content } = await world.call<{ content: MonitorError[] }>('member', monitorErrorList, at(monitor));
  const read = () => world.call<MonitorErrorDetail>('member', monitorErrorView, at(monitor, { errorId: content[0]?.id ?? '' }));
  expect((await read()).stack).toEqual([{ function: 'showWindow', file: 'src/TidePanel.tsx', line: 88, column: 6, isMapped: true }]);
  expect(await world.call<MonitorSourceMap[]>('member', monitorSourceMapList, at(monitor))).toMatchObject([
    { release: '1.4.0', file: 'index-4f2a9c1b.js' },
  ]);
  const setBytes = (megabytes: number) =>
    world.app.database.pool.query(`update source_map set bytes = $1 where file = 'index-4f2a9c1b.js'`, [megabytes * 1024 * 1024]);
  await setBytes(33);
  expect((await read()).stack).toMatchObject([{ function: 'b', isMapped: false }]);
  await setBytes(sourceMapLimits.megabytesPerMonitor);
  expect(errorsOf(await upload('1.4.0', 'second.js', map))).toEqual([409, 'undefined: SourceMapStorageFull']);
  expect(await world.call<MonitorSourceMap[]>('member', monitorSourceMapList, at(monitor))).toHaveLength(1);
  expect((await upload('1.4.0', 'index-4f2a9c1b.js', { ...map, mappings: '' })).status).toBe(201);
  expect((await read()).stack).toMatchObject([{ function: 'b', isMapped: false }]);
  expect(errorsOf(await upload('1.4.0', 'a.js', { ...map, version: 2 }))).toEqual([400, 'version: SourceMapInvalid']);
  expect(errorsOf(await upload('1.4.0', 'a b.js', map))).toEqual([400, 'file: InvalidValue']);
  await world.app.database.pool.query(
    `insert into source_map (monitor_id, release, file, content, bytes) select id, '1.4.0', 'f' || n, '', 0 from monitor, generate_series(2, $1) n where name = 'maps'`,
    [sourceMapLimits.filesPerRelease],
  );
  expect(errorsOf(await upload('1.4.0', 'more.js', map))).toEqual([409, 'undefined: TooManySourceMaps']);
  for (let number = 0; number < sourceMapLimits.releases; number++) await upload(`2.${number}`, 'a.js', map);
  const kept = await world.call<MonitorSourceMap[]>('member', monitorSourceMapList, at(monitor));
  expect(new Set(kept.map(({ release }) => release)).size).toBe(sourceMapLimits.releases);
  expect(kept.map(({ release }) => release)).not.toContain('1.4.0');
  await world.call('member', monitorSourceMapDelete, at(monitor, { release: '2.1' }));
  expect(errorsOf(await world.app.call('member', monitorSourceMapDelete, at(monitor, { release: '2.1' })))).toEqual([
    404,
    'undefined: SourceMapDoesNotExist',
  ]);
});

test('shows sessions with their events, and slow calls', async () => {
  const monitor = await world.make('sessions');
  await send(
    monitor,
    payloadOf('one', {
      events: [
        { name: 'route_change' },
        called('https://api.example.com/v1/slow', 4000),
        called('https://api.example.com/v1/fast', 40, 503),
      ],
      logs: [{ level: 'warn', message: '<img src=x onerror=alert(1)>' }],
    }),
  );
  await send(monitor, payloadOf('one', { exceptions: [failure('boom')] }));
  await send(monitor, payloadOf('two'));
  const sessions = (query: object) => world.call<MonitorSession[]>('member', monitorSessionList, { ...at(monitor), query: { ...query } });
  expect((await sessions({})).map(({ id }) => id)).toEqual(['two', 'one']);
  expect(await sessions({ hasErrors: 'true' })).toMatchObject([
    { id: 'one', errors: 1, views: 1, browser: 'Chrome 156', os: 'Windows 11', country: 'Norway', pages: ['/plans/:id/edit'] },
  ]);
  const one = await world.call<MonitorSession & { events: SessionEvent[] }>('member', monitorSessionView, at(monitor, { session: 'one' }));
  expect(one.user).toMatch(/^[0-9a-f]{16}$/);
  expect(one.events.map(({ kind }) => kind).toSorted()).toEqual(['CALL', 'CALL', 'ERROR', 'LOG', 'VIEW']);
  expect(one.events.find(({ kind }) => kind === 'LOG')?.message).toBe('<img src=x onerror=alert(1)>');
  expect(errorsOf(await world.app.call('member', monitorSessionView, at(monitor, { session: 'none' })))).toEqual([
    404,
    'undefined: MonitorSessionDoesNotExist',
  ]);
  await world.until(async () => {
    const calls = await world.call<MonitorCall[]>('member', monitorCallList, at(monitor));
    expect(calls).toMatchObject([
      { name: 'api.example.com/v1/slow', count: 1, failed: 0 },
      { name: 'api.example.com/v1/fast', count: 1, failed: 1 },
    ]);
  });
});

test('deletes everything about a person', async () => {
  const monitor = await world.make('erasure');
  await send(monitor, { ...payloadOf('mine', { exceptions: [failure('boom')] }), meta: { session: { id: 'mine' } } });
  await send(monitor, payloadOf('mine', { exceptions: [failure('boom')] }));
  await send(monitor, {
    ...payloadOf('other', { exceptions: [failure('boom')] }),
    meta: { session: { id: 'other' }, user: { id: 'other' } },
  });
  const erase = (userId: string) => world.call('member', monitorErase, { ...at(monitor), body: { userId } });
  expect(await erase('olga@example.test')).toEqual({ sessions: 1, isMore: false });
  const { rows } = await world.app.database.pool.query<{ left: string[] }>(
    `select array(select session_id from monitor_event where monitor_id = id union all select session.id from monitor_session session where monitor_id = monitor.id
      union all select 'user' from monitor_error_user where monitor_id = monitor.id) as left from monitor where name = 'erasure'`,
  );
  expect(rows[0]?.left).toEqual(['other', 'other', 'user']);
  expect(await erase('olga@example.test')).toEqual({ sessions: 0, isMore: false });
});

test('refuses endpoints inside the network', async () => {
  const monitor = await world.make('forwards');
  const forward = (url: unknown) => world.app.call('member', monitorForward, { ...at(monitor), body: { url } });
  for (const url of ['http://127.0.0.1:4318', 'http://169.254.169.254/', 'http://[::1]:4318', 'http://2130706433:4318'])
    expect(errorsOf(await forward(url)), url).toEqual([400, 'url: WebhookTargetInside']);
  expect(errorsOf(await forward('ftp://otlp.example.com'))).toEqual([400, 'url: WebhookTargetInvalid']);
});
