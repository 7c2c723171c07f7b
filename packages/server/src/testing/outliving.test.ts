// @long: starts, ends and kills programs
/** The node agent outlives its server: kills, restarts, races and upgrades of the real program, under a load at the edge. */
import { existsSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { serviceDeploy, serviceTagList } from '@slipway/contract/service/service.ts';
import { killQuietly } from '@slipway/runtime/sandbox/process-tree.ts';
import { rareTest } from '#testing/faults/fault-share.ts';
import { edgeLoad } from './load/edge-load.ts';
import { otherVersion, type OtherVersion } from './other-version.ts';
import { leftOf, Place } from './outliving.fixture.ts';
import { askEdge, untilServed, type Program } from './program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const APP = 'berth';
/** As a service manager runs it. */
const PRODUCTION = {
  SLIPWAY_MODE: 'production',
  SLIPWAY_ALLOW_FILE_KEYS: 'yes',
  SLIPWAY_ALLOW_HOST_RUNTIME: 'yes',
  SLIPWAY_LOCAL_USERS: 'password',
};

let place: Place;
let server: Program;
let version: OtherVersion | undefined;

beforeAll(async () => {
  place = await Place.open();
  server = await place.start();
  await server.makeTeam();
  expect((await server.ended(await server.quickstart(APP))).status.state).toBe('COMPLETED');
  await untilServed(place.ingressPort, APP);
});
afterEach(() => {
  version?.remove();
  version = undefined;
});
afterAll(() => place?.close());

const takenBy = (program: Program): Promise<unknown> =>
  expect
    .poll(async () => (await place.rows<{ replica: string }>('select replica from runtime_holder'))[0]?.replica)
    .toMatch(new RegExp(`:${program.port}$`));

/** So many more requests of the load as well. */
const asked = async (): Promise<void> => {
  for (let count = 0; count < 20; count++) expect(await askEdge(place.ingressPort, APP)).toBe(200);
};

/** Everything as it was, and no request failed. */
const underLoad = async (work: () => Promise<Program>): Promise<void> => {
  const [instances, agent] = [place.instances(), place.agent];
  expect(instances.length).toBeGreaterThan(0);
  const stop = edgeLoad(place.ingressPort, APP);
  await asked();
  server = await work();
  await takenBy(server);
  await asked();
  const { count, failures } = await stop();
  expect(failures).toEqual([]);
  expect(count).toBeGreaterThan(20);
  expect(place.instances()).toEqual(instances);
  expect(place.agent).toBe(agent);
};

test('a server that is killed fails no request, and the next one takes over the same instances', async () => {
  await underLoad(async () => {
    await server.end('SIGKILL');
    return place.start();
  });
  expect(place.agentLog()).toContain('The server is gone');
  const [row] = await place.rows<{ status: string; replicas_ready: number }>('select status, replicas_ready from revision');
  expect(row).toEqual({ status: 'HEALTHY', replicas_ready: 1 });
  expect((await server.ended(await server.quickstart('berth-two'))).status.state).toBe('COMPLETED');
});

rareTest('of two servers that come at once one takes it over', async () => {
  await underLoad(async () => {
    await server.end('SIGKILL');
    const both = await Promise.all([place.start(), place.start()]);
    await expect.poll(() => place.rows('select 1 from runtime_holder')).toHaveLength(1);
    const [{ replica } = { replica: '' }] = await place.rows<{ replica: string }>('select replica from runtime_holder');
    const [winner, other] = both.toSorted((left) => (replica.endsWith(`:${left.port}`) ? -1 : 1)) as [Program, Program];
    await takenBy(winner);
    // What does not drive the agent may end without a trace.
    await other.end('SIGINT');
    return winner;
  });
});

rareTest('in production SIGTERM leaves the services to the next server', async () => {
  await underLoad(async () => {
    await server.end('SIGKILL');
    return place.start(PRODUCTION);
  });
  await underLoad(async () => {
    expect(await server.end('SIGTERM')).toBe(0);
    expect(await place.rows('select 1 from runtime_holder')).toEqual([]);
    return place.start(PRODUCTION);
  });
});

rareTest('an upgrade of the program alone takes the agent over', async () => {
  version = otherVersion('packages/server/src/version.ts', `version = '0.1.0'`, `version = '0.2.0'`);
  const { entry } = version;
  await underLoad(async () => {
    await server.end('SIGTERM');
    return place.start({}, entry);
  });
  await underLoad(async () => {
    await server.end('SIGKILL');
    return place.start();
  });
});

rareTest('a rollout under way when the server is killed goes on after the take-over, and fails no request', async () => {
  const params = { app: APP, env: 'development', service: APP };
  const [newest] = (await server.call(serviceTagList, { params })) as { tag: string }[];
  const { pipelineId } = (await server.call(serviceDeploy, { params, body: { imageTag: newest?.tag } })) as PipelineRun;
  const before = place.instances();
  const stop = edgeLoad(place.ingressPort, APP);
  await expect.poll(() => place.instances().length).toBeGreaterThan(before.length);
  await server.end('SIGKILL');
  server = await place.start();
  expect((await server.ended(pipelineId)).status.state).toBe('COMPLETED');
  await expect.poll(() => place.instances().length).toBe(before.length);
  expect((await stop()).failures).toEqual([]);
});

rareTest('what was discarded, or made anew under its name, while no server was there is another thing', async () => {
  const ofApp = (app: string): string[] =>
    place.instances().filter((line) => line.startsWith(`${app}-`) && !line.startsWith(`${app}-two-`));
  const [old] = ofApp(APP);
  await server.end('SIGKILL');
  await place.rows(`delete from service where name = 'berth-two'`);
  // The same name, number and image in a row of its own.
  await place.rows(`create temporary table anew on commit drop as select * from revision where id in
      (select id from revision where name like '${APP}-%' and replicas_wanted > 0);
    delete from revision where id in (select id from anew);
    update anew set id = id || '-anew';
    insert into revision select * from anew;`);
  server = await place.start();
  await takenBy(server);
  await expect.poll(() => ofApp(APP).length === 1 && ofApp(APP)[0] !== old).toBe(true);
  await expect.poll(() => place.instances()).toHaveLength(1);
  await untilServed(place.ingressPort, APP);
  await expect.poll(() => askEdge(place.ingressPort, 'berth-two')).toBe(404);
  await expect
    .poll(() => place.rows(`select revision_id like '%-anew' as anew, state from instance`))
    .toEqual([{ anew: true, state: 'READY' }]);
});

test('an agent that is killed while no server is there is missed by the next one, which starts everything again', async () => {
  const agent = place.agent!;
  const before = place.instances();
  await server.end('SIGKILL');
  killQuietly(agent, 'SIGKILL');
  await expect.poll(() => askEdge(place.ingressPort, APP)).toBe(0);
  server = await place.start();
  await untilServed(place.ingressPort, APP);
  expect(place.agent).not.toBe(agent);
  expect(place.instances()).not.toEqual(before);
});

rareTest('an agent of another protocol is ended in order, and another one starts', async () => {
  version = otherVersion('engines/runtime/src/local/agent/wire.ts', 'export const PROTOCOL = 3;', 'export const PROTOCOL = 4;');
  const agent = place.agent!;
  const traces = place.traces();
  await server.end('SIGKILL');
  expect(await askEdge(place.ingressPort, APP)).toBe(200);
  server = await place.start({}, version.entry);
  await untilServed(place.ingressPort, APP);
  await expect.poll(() => place.agent).not.toBe(agent);
  await expect.poll(() => leftOf(traces)).toEqual([]);
  expect(server.output).toContain('of another version or configuration');
  // And back.
  await server.end('SIGKILL');
  server = await place.start();
  await untilServed(place.ingressPort, APP);
});

rareTest('an agent whose program is gone from the disk is ended in order, and another one starts', async () => {
  version = otherVersion('packages/server/src/version.ts', `version = '0.1.0'`, `version = '0.2.0'`);
  await server.end('SIGINT');
  server = await place.start({}, version.entry);
  await untilServed(place.ingressPort, APP);
  const agent = place.agent;
  await server.end('SIGKILL');
  version.remove();
  expect(await askEdge(place.ingressPort, APP)).toBe(200);
  server = await place.start();
  await expect.poll(() => place.agent !== undefined && place.agent !== agent).toBe(true);
  await untilServed(place.ingressPort, APP);
});

rareTest('Ctrl-C ends everything at once, whatever the grace', async () => {
  const traces = place.traces();
  expect(traces.pids.length).toBeGreaterThan(1);
  expect(await server.end('SIGINT')).toBe(0);
  expect(leftOf(traces)).toEqual([]);
  expect(await askEdge(place.ingressPort, APP)).toBe(0);
});

rareTest('in development SIGTERM does, too', async () => {
  server = await place.start();
  await untilServed(place.ingressPort, APP);
  const traces = place.traces();
  expect(await server.end('SIGTERM')).toBe(0);
  expect(leftOf(traces)).toEqual([]);
});

test('when no server comes back, everything ends after the grace, and nothing is left', async () => {
  await server.end('SIGINT');
  server = await place.start({ SLIPWAY_RUNTIME_GRACE_SECONDS: '3' });
  await untilServed(place.ingressPort, APP);
  const traces = place.traces();
  expect(traces.networks.size).toBeGreaterThan(0);
  await server.end('SIGKILL');
  expect(await askEdge(place.ingressPort, APP)).toBe(200);
  await expect.poll(() => leftOf(traces)).toEqual([]);
  expect(await askEdge(place.ingressPort, APP)).toBe(0);
  expect(place.agent).toBeUndefined();
  expect(place.instances()).toEqual([]);
  expect(existsSync(`${place.dataDir}/runtime/agent.sock`)).toBe(false);
  expect(place.agentLog()).toContain('No server came');
  server = await place.start();
  await untilServed(place.ingressPort, APP);
});
