/** Suite part: creating, scaling and deleting revisions and their instances. */
import { expect, test } from 'vitest';
import { until, type SuiteRuntime } from './runtime.suite-runtime.ts';

export function lifeTests(suite: () => SuiteRuntime): void {
  test('an instance starts, gets ready and is described', async () => {
    const service = suite().service();
    const instance = await service.serve();
    expect(instance).toMatchObject({ ...service.ref, revision: service.revision(1), state: 'READY', restarts: 0, lastExit: undefined });
    const steps = service.events().filter(({ type }) => type !== 'warning');
    expect(steps.map(({ code, type }) => [type, code])).toEqual([
      ['added', 'Scheduled'],
      ['running', 'Started'],
      ['running', 'Healthy'],
    ]);
    expect((await service.call('/version')).body).toBe('1');
  });

  test('ensuring again changes nothing; another number scales', async () => {
    const service = suite().service();
    const { id } = await service.serve();
    await service.ensure(1);
    expect((await service.instances()).map((instance) => instance.id)).toEqual([id]);
    expect(await suite().runtime.acquire()).toEqual({ isTakenOver: true });
    expect((await service.instances()).map((instance) => instance.id)).toEqual([id]);
    await service.ensure(1, { replicas: 3 });
    const three = await service.ready(1, 3);
    expect(three.map((instance) => instance.id)).toContain(id);
    // With isolated networks, all instances may use the same port.
    const { isNetworkIsolated } = await suite().runtime.capabilities();
    expect(new Set(three.map(({ port }) => port)).size).toBe(isNetworkIsolated ? 1 : 3);
    await service.ensure(1, { replicas: 0 });
    await until('no instance', async () => (await service.instances()).length === 0);
    expect((await service.call('/version')).status).toBe(503);
    await service.ensure(1, { replicas: 1 });
    await service.ready(1, 1);
  });

  test('a revision of the same name and another id takes the place of the one before', async () => {
    const service = suite().service();
    const before = await service.serve({ id: 'the first row' });
    expect(before.revisionId).toBe('the first row');
    await service.ensure(1, { id: 'the second row', env: { VERSION: 'another' } });
    const after = await until('the other revision', async () => {
      const [only, ...more] = await service.instances();
      return more.length === 0 && only?.revisionId === 'the second row' && only.state === 'READY' && only;
    });
    expect(after.id).not.toBe(before.id);
    expect((await service.call('/version')).body).toBe('another');
    expect(new Set(service.events('Healthy').map(({ revisionId }) => revisionId))).toEqual(new Set(['the first row', 'the second row']));
  });

  test('what is not named among the services that are served leaves the edge', async () => {
    const [kept, gone] = [suite().service(), suite().service()];
    await kept.serve();
    await gone.serve();
    await suite().runtime.routesComplete([kept.ref]);
    expect((await kept.call('/version')).status).toBe(200);
    expect((await gone.call('/version')).status).toBe(404);
  });

  test('traffic moves from one revision to the next, and instances come and go, without a failed request', async () => {
    const service = suite().service();
    await service.serve({ replicas: 2 });
    const statuses: number[] = [];
    let isOver = false;
    const client = async (): Promise<void> => {
      while (!isOver) statuses.push((await service.call('/version').catch(() => ({ status: 0 }))).status);
    };
    const clients = [client(), client(), client()];
    await service.ensure(2, { replicas: 2 });
    await service.ready(2, 2);
    await service.route([2]);
    await service.delete(1);
    await service.ensure(2, { replicas: 1 });
    await until('one instance', async () => (await service.instances()).length === 1);
    isOver = true;
    await Promise.all(clients);
    expect(statuses.length).toBeGreaterThan(20);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    expect((await service.call('/version')).body).toBe('2');
  });

  test('a stopped instance finishes the request it is at', async () => {
    const service = suite().service();
    await service.serve();
    const slow = service.call('/slow?ms=700');
    await until('the request', async () => (await service.call('/version')).status === 200);
    await service.delete(1);
    expect(await slow).toMatchObject({ status: 200, body: 'slow' });
    expect(await service.instances()).toEqual([]);
    expect(await service.event('Stopped')).toMatchObject({ type: 'deleted', context: { tookMs: expect.any(Number) as number } });
  });

  test('so does one that ends at once of SIGTERM, whatever it is at; not for ever', async () => {
    const service = suite().service();
    await service.serve({ env: { MODE: 'abrupt' }, stopGraceSeconds: 1 });
    const [slow, endless] = [service.call('/slow?ms=700'), service.call('/never').catch(() => undefined)];
    await until('the requests', async () => (await service.call('/version')).status === 200);
    const startedAt = performance.now();
    await service.delete(1);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(await slow).toMatchObject({ status: 200, body: 'slow' });
    // The end of the instance, or before it the read timeout: a cluster can take longer to end a pod.
    expect([502, 504]).toContain((await endless)?.status);
  });

  test('a program without a handler ends of SIGTERM, not of the grace period', async () => {
    const service = suite().service();
    await service.ensure(1, { env: { MODE: 'rude' }, exposedPort: undefined, health: undefined, stopGraceSeconds: 30 });
    await service.ready(1, 1);
    const startedAt = performance.now();
    await service.delete(1);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect(service.events('Killing')).toEqual([]);
  });

  test('a program that does not end is killed after its grace period', async () => {
    const service = suite().service();
    // The edge must not give up before the program is killed.
    await service.serve({ stopGraceSeconds: 0.5 }, { readTimeoutMs: 20_000 });
    const pending = service.call('/never').catch(() => undefined);
    await until('the request', async () => (await service.call('/version')).status === 200);
    await service.delete(1);
    expect(service.events('Killing')).toMatchObject([{ context: { graceSeconds: suite().seconds(0.5) } }]);
    await pending;
  });

  test('deleting what is not there, and taking an unknown service off the edge, succeed', async () => {
    const service = suite().service();
    await service.delete(7);
    await suite().runtime.setRoute(service.ref, undefined);
  });

  test('use of processor and memory is reported', async (context) => {
    if (await suite().lacks('figures')) return context.skip();
    const service = suite().service();
    const { id } = await service.serve();
    const statsOf = async () => (await suite().runtime.stats()).find((stats) => stats.id === id);
    await statsOf();
    await service.call('/burn?ms=1500');
    await until('work', async () => ((await statsOf())?.cpuMillicores ?? 0) > 20);
    expect((await statsOf())?.memoryMegabytes).toBeGreaterThan(1);
  });

  test('secret files and environment reach the program', async () => {
    const service = suite().service();
    const files = [{ mountPath: '/run/secrets/db', files: { password: 'geheim\n', user: 'shop' } }];
    const awkward = `it's "quoted"\nand $HOME \\ two lines`;
    await service.serve({ files, env: { AWKWARD: awkward, LD_HINT: 'late' } });
    expect((await service.call('/file?path=/run/secrets/db/password')).body).toBe('geheim\n');
    expect((await service.call('/list?path=/run/secrets/db')).body).toBe('password user');
    expect((await service.call('/env?name=AWKWARD')).body).toBe(awkward);
  });
}
