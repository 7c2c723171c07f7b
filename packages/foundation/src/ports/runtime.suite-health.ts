/** Suite part: crashes, memory, health checks, and their effects. */
import { expect, test } from 'vitest';
import type { RevisionSpec } from './runtime.ts';
import { quickHealth, until, type SuiteRuntime } from './runtime.suite-runtime.ts';

export function healthTests(suite: () => SuiteRuntime): void {
  test('a program that ends at once is started again, ever more slowly, and never gets a request', async () => {
    const service = suite().service();
    await service.ensure(1, { env: { MODE: 'crash' } });
    await service.route([1]);
    const event = await service.event('Exited', 3);
    expect(event).toMatchObject({ type: 'error', context: { exitCode: 3, restart: 3, waitMs: expect.any(Number) as number } });
    const [instance] = await service.instances();
    expect(instance).toMatchObject({ state: 'CRASHED', lastExit: { code: 3, signal: null, reason: 'Exited' } });
    expect(instance!.restarts).toBeGreaterThanOrEqual(2);
    const [, second, third] = service.events('Exited').map(({ at }) => at.getTime());
    expect(third! - second!).toBeGreaterThan(200);
    expect(service.events('Healthy')).toEqual([]);
    expect((await service.call('/version')).status).toBe(503);
    await service.delete(1);
    expect(await service.instances()).toEqual([]);
  });

  test('an instance that crashes later comes back under the same id', async () => {
    const service = suite().service();
    const { id } = await service.serve();
    await service.call('/exit?code=9').catch(() => undefined);
    await service.event('Healthy', 2);
    const [again] = await service.ready(1, 1);
    expect(again).toMatchObject({ id, restarts: 1, lastExit: { code: 9, reason: 'Exited' } });
    expect((await service.call('/version')).status).toBe(200);
  });

  test('a request that kills an instance is not repeated on the next one', async () => {
    const service = suite().service();
    await service.serve({ replicas: 2 });
    expect((await service.call('/exit?code=1')).status).toBe(502);
    expect((await service.call('/version')).status).toBe(200);
    await service.event('Healthy', 3);
    expect(service.events('Exited')).toHaveLength(1);
  });

  test('an instance above its memory limit is killed and says so', async () => {
    const service = suite().service();
    await service.serve({ memoryMegabytes: 96 });
    await service.call('/grow');
    const event = await service.event('OOMKilled');
    expect(event).toMatchObject({ type: 'error', context: { limitMegabytes: 96, restart: 1 } });
    expect((await service.instances())[0]?.lastExit?.reason).toBe('OOMKilled');
  });

  test('an unhealthy instance gets no requests until it is well again', async () => {
    const service = suite().service();
    await service.serve({ health: { ...quickHealth!, failureThreshold: 2, periodSeconds: 0.3 } });
    await service.call('/sick');
    expect(await service.event('ProbeFailed')).toMatchObject({
      type: 'unhealthy',
      context: { probe: 'Status', status: 500, request: 'GET /healthz', failures: 2 },
    });
    expect((await service.instances())[0]?.state).toBe('UNHEALTHY');
    expect((await service.call('/version')).status).toBe(503);
    // It stays unhealthy, so it is restarted and becomes healthy.
    await service.event('Healthy', 2);
    expect(await service.ready(1, 1)).toMatchObject([{ restarts: 1, lastExit: { reason: 'Unhealthy' } }]);
  });

  test('one instance out of two carries on alone', async () => {
    const service = suite().service();
    await service.serve({ replicas: 2 });
    await service.call('/sick');
    await service.event('ProbeFailed');
    expect((await service.call('/version')).status).toBe(200);
  });

  test('a slow start is waited for', async () => {
    const service = suite().service();
    await service.serve({ env: { MODE: 'late' } });
    expect(service.events('Exited')).toEqual([]);
    expect((await service.event('NotHealthyYet')).type).toBe('warning');
  });

  test.each<[string, RevisionSpec['health']]>([
    ['a port that accepts connections', { ...quickHealth!, type: 'tcp', tcp: { port: 8080 } }],
    [
      'a command that succeeds',
      { ...quickHealth!, type: 'exec', exec: { command: ['node', '-e', 'process.exit(process.env.VERSION === "1" ? 0 : 1)'] } },
    ],
    ['nothing but its port', undefined],
  ])('readiness by %s', async (_name, health) => {
    const service = suite().service();
    await service.serve({ health });
    expect((await service.call('/version')).body).toBe('1');
  });

  test('a command that fails, or hangs, keeps an instance from getting ready', async () => {
    const service = suite().service();
    const health = {
      ...quickHealth!,
      type: 'exec',
      exec: { command: ['node', '-e', 'setInterval(() => {}, 1000)'] },
      timeoutSeconds: 0.5,
    } as const;
    await service.ensure(1, { health });
    expect((await service.event('NotHealthyYet')).context).toMatchObject({ probe: 'CommandTimeout', timeoutSeconds: suite().seconds(0.5) });
    expect((await service.instances())[0]?.state).toBe('STARTING');
  });

  test('a worker without a port is ready when it stays alive', async () => {
    const service = suite().service();
    await service.ensure(1, { env: { MODE: 'worker' }, exposedPort: undefined, health: undefined });
    await service.ready(1, 1);
  });

  test('a wrong port is reported with its number', async (context) => {
    if (await suite().lacks('portEvents')) return context.skip();
    const service = suite().service();
    await service.ensure(1, { env: { MODE: 'wrong', WRONG_PORT: '3917' } });
    const event = await service.event('WrongPort', 2);
    expect(event.type).toBe('warning');
    expect(event.context).toMatchObject({ listens: '3917', setTo: 8080 });
    await until('it is not ready', async () => (await service.instances())[0]?.state === 'STARTING');
  });
}
