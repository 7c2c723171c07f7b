/** Suite part: effects of a revision's settings on its program, its log and its events. */
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import type { LogLine } from './runtime.ts';
import { until, type SuiteRuntime, type SuiteService } from './runtime.suite-runtime.ts';

const scraping = { path: '/metrics', timeoutMs: 2000, maxBytes: 10_000 };

export function settingsTests(suite: () => SuiteRuntime): void {
  const previous = async (service: SuiteService, options: { instance?: string; follow?: boolean } = {}): Promise<readonly LogLine[]> => {
    const lines: LogLine[] = [];
    const ref = { ...service.ref, revision: service.revision(1) };
    for await (const line of suite().runtime.logs(ref, { ...options, previous: true })) lines.push(line);
    return lines;
  };

  test('the region is a label of the instance, and the program knows where it runs', async () => {
    const service = suite().service();
    const { node } = await service.serve({ region: 'NORTHEUROPE', env: { SLIPWAY_REGION: 'elsewhere' } });
    expect(node).toMatch(/^\S+ \(NORTHEUROPE\)$/);
    const reported = async (name: string): Promise<string> => (await service.call(`/env?name=SLIPWAY_${name}`)).body;
    expect(await reported('REGION')).toBe('NORTHEUROPE');
    expect(await reported('ENVIRONMENT')).toBe(service.ref.environment);
    expect(await reported('SERVICE')).toBe(service.ref.service);
    expect(await reported('REVISION')).toBe(service.revision(1));
  });

  test('another number of instances is listed as a change of the revision', async () => {
    const service = suite().service();
    await service.serve();
    await service.ensure(1);
    expect(service.events('Scaled')).toEqual([]);
    await service.ensure(1, { replicas: 2 });
    await service.ready(1, 2);
    const [event] = service.events('Scaled');
    expect(event).toMatchObject({ type: 'modified', instance: service.revision(1), context: { from: 1, to: 2 } });
    await service.delete(1);
    expect(service.events('Scaled')).toHaveLength(1);
    expect(service.events('Stopped').map(({ type }) => type)).toEqual(['deleted', 'deleted']);
  });

  test("the log of an instance's run before its last restart can be read alone", async () => {
    const service = suite().service();
    const { id } = await service.serve();
    expect(await previous(service)).toEqual([]);
    await service.call('/say?text=first');
    await service.call('/exit?code=1').catch(() => undefined);
    await service.event('Healthy', 2);
    await service.call('/say?text=second');
    await service.call('/exit?code=1').catch(() => undefined);
    await service.event('Healthy', 3);
    await service.call('/say?text=third');
    const lines = await until('the end of the run', async () => {
      const read = await previous(service, { instance: id, follow: true });
      return read.some(({ line }) => line === 'second') ? read : undefined;
    });
    expect(lines.map(({ line }) => line)).toEqual(expect.arrayContaining(['mode serve', 'listening', 'second']));
    expect(lines.map(({ line }) => line)).not.toContain('first');
    expect(lines.some(({ line }) => line === 'third' || line.includes('started again'))).toBe(false);
    // Text written by the program itself is not a restart marker.
    await service.call(`/say?text=${encodeURIComponent('--- started again (restart 3) ---')}`);
    expect((await previous(service)).map(({ number }) => number)).toEqual(lines.map(({ number }) => number));
  });

  test('a full disk is reported, and an instance that ends of it says so', async (context) => {
    if ((await suite().runtime.capabilities()).isolation === 'none' || (await suite().lacks('diskEvents'))) return context.skip();
    const service = suite().service();
    await service.serve({ memoryMegabytes: 192 });
    await service.call('/fill');
    const event = await service.event('DiskFull');
    expect(event).toMatchObject({ type: 'warning', context: { temporaryMegabytes: 96 } });
    expect((await service.instances())[0]?.state).toBe('READY');
    await service.call('/fill?exit=1').catch(() => undefined);
    await until('its end', async () => (await service.instances())[0]?.lastExit);
    expect((await service.instances())[0]?.lastExit).toMatchObject({ code: 1, reason: 'DiskFull' });
    expect(service.events('DiskFull').at(-1)).toMatchObject({ type: 'error', context: { exitCode: 1, restart: 1 } });
    expect(service.events('OOMKilled')).toEqual([]);
  });

  test('the metrics endpoint of a ready instance can be asked, within bounds', async () => {
    const service = suite().service();
    const { id } = await service.serve();
    const { runtime } = suite();
    expect(await runtime.scrape(id, scraping)).toContain('berths_total{kind="quay"} 7');
    await expect(runtime.scrape(id, { ...scraping, path: '/nowhere' })).rejects.toMatchObject({
      kind: 'rejected',
      message: '/nowhere answered 404',
    });
    await expect(runtime.scrape(id, { ...scraping, path: '/much' })).rejects.toMatchObject({ kind: 'rejected' });
    await expect(runtime.scrape(id, { ...scraping, path: '/never', timeoutMs: 200 })).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(runtime.scrape('nobody-1-aaaaaa', scraping)).rejects.toMatchObject({ kind: 'notFound' });
    await service.call('/sick');
    await service.event('ProbeFailed');
    await expect(runtime.scrape(id, scraping)).rejects.toMatchObject({ kind: 'notFound' });
  });

  test('a program reaches the hosts that its service lists, by the proxy of its environment, and no other', async (context) => {
    if (!(await suite().runtime.capabilities()).isNetworkIsolated || (await suite().lacks('proxiedEgress'))) return context.skip();
    const { inside } = suite();
    const port = Number(inside.split(':')[1]);
    const server = createServer((_request, response) => response.end('outside'));
    await new Promise<void>((resolve) => server.listen(port, resolve));
    try {
      const fetched = async (service: SuiteService, url: string): Promise<string> =>
        (await service.call(`/fetch?url=${encodeURIComponent(url)}`)).body;
      const [closed, listing, open] = [suite().service(), suite().service(), suite().service()];
      await Promise.all([closed.serve(), listing.serve({ egress: [inside, `127.0.0.3:${port}`] }), open.serve({ egress: ['*'] })]);
      expect(await fetched(listing, `http://${inside}/`)).toBe('200 outside');
      for (const [service, host] of [
        [listing, `127.0.0.3:${port}`],
        [listing, `127.0.0.4:${port}`],
        [open, inside],
        [closed, inside],
      ] as const)
        expect(await fetched(service, `http://${host}/`)).toMatch(/^403 |^failed$/);
    } finally {
      server.close();
    }
  });
}
