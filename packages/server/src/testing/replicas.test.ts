// @long: starts, ends and kills programs
/** Three replicas of the real program on one database and one data directory: they start at once, and outlive each other's kill -9 and restart. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { rareTest } from '#testing/faults/fault-share.ts';
import { edgeLoad } from './load/edge-load.ts';
import { Place } from './outliving.fixture.ts';
import { askEdge, untilServed, type Program } from './program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

/** As a service manager runs them: SIGTERM is a restart. */
const PRODUCTION = {
  SLIPWAY_MODE: 'production',
  SLIPWAY_ALLOW_FILE_KEYS: 'yes',
  SLIPWAY_ALLOW_HOST_RUNTIME: 'yes',
  SLIPWAY_LOCAL_USERS: 'password',
};
let place: Place;
let replicas: Program[] = [];

const kill = async (victim: Program): Promise<void> => {
  await victim.end('SIGKILL');
  replicas = replicas.filter((replica) => replica !== victim);
};

const leader = async (): Promise<Program> => {
  const [row] = await place.rows<{ replica: string }>('select replica from runtime_holder');
  const found = replicas.find(({ port }) => row?.replica.endsWith(`:${port}`));
  if (!found) throw new Error(`Nobody is ${row?.replica}`);
  return found;
};
const untilLedByOther = (former: Program): Promise<unknown> =>
  expect
    .poll(async () =>
      leader().then(
        (found) => found !== former,
        () => false,
      ),
    )
    .toBe(true);

beforeAll(async () => {
  place = await Place.open();
  replicas = await Promise.all([place.start(PRODUCTION), place.start(PRODUCTION), place.start(PRODUCTION)]);
});
afterAll(() => place?.close());

test('a replica whose settings differ from those of the others is refused, and each setting is named', async () => {
  const odd = place.start({
    ...PRODUCTION,
    SLIPWAY_PUBLIC_URL: 'http://localhost:4001',
    SLIPWAY_INGRESS_PORT: '4099',
    SLIPWAY_ADMIN_TOKEN: 'another-token-of-more-than-forty-characters',
  });
  const named = [
    `SLIPWAY_INGRESS_PORT: ${place.ingressPort} there, 4099 here`,
    'SLIPWAY_PUBLIC_URL: http://localhost:4000 there, http://localhost:4001 here',
    'SLIPWAY_ADMIN_TOKEN: a value there, another value here',
  ];
  await expect(odd).rejects.toThrow(`with other settings. ${named.join('. ')}. Give all`);
});

test('a pipeline goes on when its replica is killed, and services run on when the leader is', async () => {
  const [first, second] = replicas as [Program, Program];
  await first.makeTeam();
  // The replica at work is not known from outside: whoever it is, one of the two that are killed in turn.
  const pipelineId = await first.quickstart('berth-one');
  await kill((await leader()) === first ? second : first);
  const run = await (replicas[0] as Program).ended(pipelineId);
  expect(run.statusMessage).toBeNull();
  expect(run.status.state).toBe('COMPLETED');
  expect(await askEdge(place.ingressPort, 'berth-one')).toBe(200);

  const instances = place.instances();
  const stop = edgeLoad(place.ingressPort, 'berth-one');
  const victim = await leader();
  await kill(victim);
  await untilLedByOther(victim);
  const survivor = replicas[0] as Program;
  expect((await survivor.ended(await survivor.quickstart('berth-two'))).status.state).toBe('COMPLETED');
  expect((await stop()).failures).toEqual([]);
  expect(place.instances()).toEqual(expect.arrayContaining([...instances]));
  const takeOvers = await place.rows(`select message from activity where type = 'runtimeTakeOver'`);
  expect(takeOvers).toEqual([{ message: expect.stringContaining('Its services run on.') }]);
});

rareTest('a rolling restart of all replicas fails no request, and starts no instance again', async () => {
  replicas.push(...(await Promise.all([place.start(PRODUCTION), place.start(PRODUCTION)])));
  await untilServed(place.ingressPort, 'berth-two');
  const instances = place.instances();
  const stop = edgeLoad(place.ingressPort, 'berth-two');
  for (const replica of replicas) {
    const isLeader = (await leader()) === replica;
    expect(await replica.end('SIGTERM')).toBe(0);
    replicas = replicas.filter((other) => other !== replica);
    if (isLeader) await untilLedByOther(replica);
    replicas.push(await place.start(PRODUCTION));
  }
  const { count, failures } = await stop();
  expect(failures).toEqual([]);
  expect(count).toBeGreaterThan(20);
  expect(place.instances()).toEqual(instances);
});
