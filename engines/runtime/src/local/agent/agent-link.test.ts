// @long: tries an engine by itself, which the tests of modules use, too
/** Both ends of the socket: errors arrive unchanged on the other side, and no call hangs on an absent agent. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PortFailure, type PortFailureKind } from '@slipway/foundation/ports/failure.ts';
import type { InstanceEvent, Runtime } from '@slipway/foundation/ports/runtime.ts';
import { faultyPort, type FaultyPort } from '@slipway/foundation/testing/faulty-port.ts';
import { makeLocalSubject, sampleSpec, silentLog, type LocalSubject } from '../runtime-subject.fixture.ts';
import type { AgentConfig } from './agent-config.ts';
import { AgentHost } from './agent-host.ts';
import { AgentLink, type LinkOptions } from './agent-link.ts';
import { serveAgent, type ServedAgent } from './serve.ts';
import { PROTOCOL } from './wire.ts';

let subject: LocalSubject;
let runtime: FaultyPort<Runtime>;
let directory: string;
let socket: string;
let served: ServedAgent | undefined;
let link: AgentLink;
const events: InstanceEvent[] = [];
const lost = vi.fn();

const config = (ingressPort: number): AgentConfig => ({
  dataDir: subject.dataDir,
  imageDir: subject.dataDir,
  ingressHost: '127.0.0.1',
  ingressPort,
  registry: { baseUrl: 'http://127.0.0.1:9', username: 'nobody', secret: '' },
  graceMs: 60_000,
  logLevel: 'silent',
});
const configured = vi.fn(async () => {});
const serve = async (): Promise<void> => {
  const open = async () => ({ runtime: runtime.port, configure: configured });
  served = await serveAgent(new AgentHost({ open, onEnded: () => {}, log: silentLog }), socket, silentLog);
};
const makeLink = (more: Partial<LinkOptions> = {}): AgentLink =>
  new AgentLink({
    socket,
    config: () => config(4080),
    onEvent: (event) => events.push(event),
    onLost: lost,
    timings: { startMs: 5000, silentMs: 1000 },
    ...more,
  });
beforeEach(async () => {
  subject = await makeLocalSubject();
  runtime = faultyPort<Runtime>(subject.runtime);
  directory = mkdtempSync(join(tmpdir(), 'slipway-link-'));
  socket = join(directory, 'agent.sock');
  events.length = 0;
  lost.mockReset();
  configured.mockClear();
  link = makeLink();
});
afterEach(async () => {
  await link.close();
  await served?.close();
  await subject.close();
  rmSync(directory, { recursive: true, force: true });
});

test('taking waits for an agent that is just starting; all else ends at once', async () => {
  await expect(link.call('list')).rejects.toMatchObject({ kind: 'unavailable' });
  const taking = link.call('acquire');
  await serve();
  await taking;
  expect(await link.call('list')).toEqual([]);
  expect(lost).not.toHaveBeenCalled();
});

test('nobody else may open the socket', async () => {
  await serve();
  expect(statSync(socket).mode & 0o777).toBe(0o600);
});

test.each(['notFound', 'conflict', 'rejected', 'unavailable'] satisfies PortFailureKind[])(
  'a failure of the kind %s stays one',
  async (kind) => {
    await serve();
    await link.call('acquire');
    runtime.next('scrape', () =>
      Promise.reject(new PortFailure(kind, 'for a reason', { code: 'ImageNoCommand', context: { reason: 'it' } })),
    );
    const failed = await link.call('scrape', 'x-1-aaaaaa', { path: '/', timeoutMs: 1, maxBytes: 1 }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(PortFailure);
    expect(failed).toMatchObject({ kind, message: 'for a reason', code: 'ImageNoCommand', context: { reason: 'it' } });
  },
);

test('what breaks in the agent is no failure of the port', async () => {
  await serve();
  await link.call('acquire');
  runtime.next('list', () => Promise.reject(new Error('a bug')));
  const failed = await link.call('list').catch((error: unknown) => error);
  expect(failed).not.toBeInstanceOf(PortFailure);
  expect(failed).toMatchObject({ message: 'a bug' });
});

test('what a verb has caused is sent before it ends', async () => {
  await serve();
  await link.call('acquire');
  for (let round = 1; round <= 20; round++) {
    await link.call('ensureRevision', {
      ...sampleSpec(`quick-${round}`),
      env: JSON.parse('{"__proto__":"a setting"}') as Record<string, string>,
    });
    expect(events.map(({ revision }) => revision)).toContain(`quick-${round}`);
    await link.call('deleteRevision', sampleSpec(`quick-${round}`));
    expect(events.filter(({ code }) => code === 'Stopped')).toHaveLength(round);
  }
  for (const { at } of events) expect(at).toBeInstanceOf(Date);
});

test('the end of an agent is reported once; the next one is another', async () => {
  await serve();
  await link.call('acquire');
  const [endless, ended] = [Promise.withResolvers<never>(), Promise.withResolvers<void>()];
  runtime.next('stats', () => {
    ended.resolve();
    return endless.promise;
  });
  const underWay = link.call('stats');
  await ended.promise;
  await Promise.all([served?.close(), expect(underWay).rejects.toMatchObject({ kind: 'unavailable' })]);
  endless.reject(new Error('too late'));
  await expect.poll(() => lost.mock.calls.length).toBe(1);
  await expect(link.call('list')).rejects.toMatchObject({ kind: 'unavailable' });
  await serve();
  await link.call('acquire');
  expect(lost).toHaveBeenCalledOnce();
});

test('a listener that takes calls and never answers hangs nobody', async () => {
  const mute = createServer();
  await new Promise<void>((listening) => mute.listen(socket, listening));
  await expect(link.call('list')).rejects.toMatchObject({ kind: 'unavailable' });
  await expect(link.call('acquire')).rejects.toMatchObject({ kind: 'unavailable' });
  mute.close();
  // The link drops the agent that never responded and connects to the next one.
  await serve();
  await link.call('acquire');
});

test('one server drives it at a time; the next one takes over when that one is gone, and hears what it missed', async () => {
  await serve();
  expect(await link.call('acquire')).toEqual({ isTakenOver: false });
  const heard: string[] = [];
  const other = makeLink({
    onEvent: ({ code, revision }) => heard.push(`${revision} ${code}`),
    timings: { startMs: 500, silentMs: 1000 },
  });
  try {
    await expect(other.call('acquire')).rejects.toMatchObject({ kind: 'unavailable', message: 'Another server drives the node agent.' });
    await link.call('ensureRevision', sampleSpec('quick-1'));
    await expect.poll(() => events.map(({ code }) => code), { timeout: 20_000 }).toContain('Healthy');
    await link.unfollow();
    // Nobody listens meanwhile.
    await subject.runtime.deleteRevision(sampleSpec('quick-1'));
    expect(await other.call('acquire')).toEqual({ isTakenOver: true });
    expect(configured).toHaveBeenCalled();
    await expect.poll(() => heard).toEqual(['quick-1 Stopped']);
    await expect(link.call('list')).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(link.call('acquire')).rejects.toMatchObject({ message: 'Another server drives the node agent.' });
  } finally {
    await other.close();
  }
});

test.each([
  ['another protocol', { protocol: PROTOCOL + 1 }],
  ['another configuration', { config: () => config(4081) }],
] satisfies [string, Partial<LinkOptions>][])('a server of %s learns that it cannot use it, and may end it', async (_of, other) => {
  await serve();
  await link.call('acquire');
  await link.unfollow();
  const onUnusable = vi.fn(async () => {});
  const stranger = makeLink({ onUnusable, timings: { startMs: 500, silentMs: 1000 }, ...other });
  try {
    await expect(stranger.call('acquire')).rejects.toMatchObject({ kind: 'unavailable' });
    expect(onUnusable).toHaveBeenCalled();
  } finally {
    await stranger.close();
  }
});
