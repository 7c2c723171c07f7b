/** Suite part: logs. */
import { expect, test } from 'vitest';
import type { LogLine } from './runtime.ts';
import { until, type SuiteRuntime, type SuiteService } from './runtime.suite-runtime.ts';

export function logTests(suite: () => SuiteRuntime): void {
  const read = async (service: SuiteService, options: Parameters<SuiteRuntime['runtime']['logs']>[1] = {}): Promise<readonly LogLine[]> => {
    const lines: LogLine[] = [];
    for await (const line of suite().runtime.logs({ ...service.ref, revision: service.revision(1) }, options)) lines.push(line);
    return lines;
  };
  const say = async (service: SuiteService, text: string): Promise<void> => {
    await service.call(`/say?text=${text}`);
    await until(text, async () => (await read(service)).some(({ line }) => line === text));
  };

  test('lines are numbered per instance, in order, with their stream', async () => {
    const service = suite().service();
    const { id } = await service.serve();
    await say(service, 'eins');
    const lines = await read(service);
    expect(lines.every(({ instance }) => instance === id)).toBe(true);
    expect(lines.map(({ number }) => number)).toEqual(lines.map((_line, index) => index + 1));
    expect(lines.find(({ line }) => line === 'to stderr')?.stream).toBe((await suite().lacks('logStreams')) ? 'stdout' : 'stderr');
    expect(lines.at(-1)).toMatchObject({ line: 'eins', stream: 'stdout' });
    expect((await read(service, { tailLines: 1 })).map(({ line }) => line)).toEqual(['eins']);
    expect((await read(service, { sinceNumber: lines.length - 1 })).map(({ line }) => line)).toEqual(['eins']);
  });

  test('following goes on until it is ended', async () => {
    const service = suite().service();
    const { id } = await service.serve();
    await say(service, 'before');
    const ending = new AbortController();
    const seen: string[] = [];
    const following = (async () => {
      const options = { instance: id, tailLines: 1, follow: true, signal: ending.signal };
      for await (const { line } of suite().runtime.logs({ ...service.ref, revision: service.revision(1) }, options)) seen.push(line);
    })();
    await until('the tail', async () => seen.includes('before'));
    await say(service, 'after');
    await until('the new line', async () => seen.includes('after'));
    ending.abort();
    await following;
    expect(seen).toEqual(['before', 'after']);
  });

  test('what a crashed instance said stays, and so does the log of a deleted revision', async () => {
    const service = suite().service();
    await service.ensure(1, { env: { MODE: 'crash' } });
    await service.event('Exited', 2);
    await service.delete(1);
    const lines = await read(service);
    expect(lines.filter(({ line }) => line === 'about to crash').length).toBeGreaterThanOrEqual(2);
    expect(lines.map(({ number }) => number)).toEqual(lines.map((_line, index) => index + 1));
  });

  test('a revision without a log has no lines', async () => {
    expect(await read(suite().service())).toEqual([]);
  });
}
