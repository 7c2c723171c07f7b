// @long: starts, ends and kills programs
/**
 * A rolling upgrade as an operator does it: the last landed version serves a team, this version starts beside it, and the landed version ends,
 * while services, the API and Kafka are in use. Afterwards a backup of the upgraded platform is restored.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { applicationView } from '@slipway/contract/application.ts';
import { databaseView } from '@slipway/contract/database/database.ts';
import { secretGroupView } from '@slipway/contract/secret/secret-group.ts';
import { revisionList } from '@slipway/contract/service/revision.ts';
import { serviceList, serviceView } from '@slipway/contract/service/service.ts';
import { accountView } from '@slipway/contract/streaming/account.ts';
import { physicalName } from '@slipway/contract/streaming/streaming.ts';
import { topicView } from '@slipway/contract/streaming/topic.ts';
import { teamView } from '@slipway/contract/team.ts';
import { runCommand } from '../command.ts';
import { freePort } from '#testing/free-port.ts';
import { edgeLoad } from '../load/edge-load.ts';
import type { OtherVersion } from '../other-version.ts';
import { Place } from '../outliving.fixture.ts';
import { PATIENCE_MS } from '#testing/patience.ts';
import { untilServed, type Program } from '../program.ts';
import { KafkaLoad } from '../streaming/kafka-load.ts';
import { ApiLoad } from './api-load.ts';
import { APPS, completed, furnish, query, resources, ROWS, secretValue, type Furnished } from './furnished.fixture.ts';
import { isLandedKnown, LANDED, unpackLanded } from './landed-version.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const PRODUCTION = {
  SLIPWAY_MODE: 'production',
  SLIPWAY_ALLOW_FILE_KEYS: 'yes',
  SLIPWAY_ALLOW_HOST_RUNTIME: 'yes',
  SLIPWAY_LOCAL_USERS: 'password',
};
const READS = [teamView, applicationView, serviceList, serviceView, revisionList, secretGroupView, topicView, accountView, databaseView];
/** Four writers with this pause send some 40 messages a second. */
const KAFKA_PAUSE_MS = 100;
const MESSAGES = 200;

const isKnown = isLandedKnown();
if (!isKnown) console.warn(`Rolling upgrades were not tested: the history of this clone lacks ${LANDED}. Fetch the whole history.`);

/** How long a message may wait while the broker ends with its replica and is taken over. */
const GAP_MS = PATIENCE_MS / 4;

const openPlace = async (): Promise<{ place: Place; environment: Record<string, string> }> => {
  const place = await Place.open();
  // Broker and databases, which run as other users, stay in the data directory.
  chmodSync(place.dataDir, 0o711);
  const ports = { SLIPWAY_KAFKA_PORT_DEVELOPMENT: String(await freePort()), SLIPWAY_KAFKA_PORT_PRODUCTION: String(await freePort()) };
  return { place, environment: { ...PRODUCTION, ...ports } };
};
const succeed = async (args: readonly string[], { dataDir, database }: Place): Promise<void> => {
  const { code, output } = await runCommand(args, { SLIPWAY_DATA: dataDir, DATABASE_URL: database.url });
  expect(code, output).toBe(0);
};

describe.skipIf(!isKnown)(`an upgrade from ${LANDED}`, () => {
  let landed: OtherVersion;
  let place: Place;
  let restored: Place | undefined;
  let environment: Record<string, string>;
  let old: Program;
  let next: Program;
  let furnished: Furnished;
  /** Values of the secret's versions, from the first version on. */
  let secrets: readonly string[];
  let messages: readonly string[];

  beforeAll(async () => {
    landed = unpackLanded();
    ({ place, environment } = await openPlace());
    old = await place.start(environment, landed.entry);
    furnished = await furnish(old);
  });
  afterAll(async () => {
    await place?.close();
    await restored?.close();
    landed?.remove();
  });

  const kafkaLoad = ({ SLIPWAY_KAFKA_PORT_DEVELOPMENT: port }: Record<string, string>): KafkaLoad => {
    const { user, password } = furnished.kafka;
    return new KafkaLoad(Number(port), { topic: physicalName(resources.app, resources.topic), user, password, pauseMs: KAFKA_PAUSE_MS });
  };
  const isLed = async (by: Program): Promise<boolean> =>
    (await place.rows<{ replica: string }>('select replica from runtime_holder'))[0]?.replica.endsWith(`:${by.port}`) === true;
  const rowsArrive = (on: Program): Promise<unknown> =>
    expect.poll(() => query(on, furnished, 'select count(*)::int as count from entry').catch(String)).toEqual([{ count: ROWS }]);

  const expectEverything = async (on: Program, { ingressPort }: Place, kafka: KafkaLoad): Promise<void> => {
    for (const route of READS) await on.call(route, { params: resources });
    for (const app of APPS) await untilServed(ingressPort, app);
    const versions = secrets.map((_, index) => secretValue(on, furnished, resources.group, 'VALUE', index + 1));
    expect(await Promise.all(versions)).toEqual(secrets);
    await rowsArrive(on);
    await expect.poll(async () => (await kafka.everything()).toSorted()).toEqual(messages.toSorted());
  };

  test('fails no request, and starts no instance again', async () => {
    const kafka = kafkaLoad(environment);
    await kafka.start();
    const replicas = [old];
    const api = new ApiLoad(replicas, READS, resources);
    const stopEdge = edgeLoad(place.ingressPort, resources.service);
    const instances = place.instances();
    await kafka.more(MESSAGES);

    next = await place.start(environment);
    replicas.push(next);
    await expect.poll(async () => (await fetch(`http://127.0.0.1:${next.port}/readyz`)).status).toBe(200);
    await kafka.more(MESSAGES);

    // Begins in the landed version. Whichever version takes it, it ends in this one.
    const run = await old.quickstart(APPS[2]);
    const since = performance.now();
    expect(await old.end('SIGTERM')).toBe(0);
    // Until now, requests to the landed version were repeated at the new one.
    replicas.shift();
    await rowsArrive(next);
    const rowsMs = Math.round(performance.now() - since);
    await expect.poll(() => isLed(next)).toBe(true);
    await completed(next, run);
    await kafka.more(MESSAGES);

    await api.stop();
    const edge = await stopEdge();
    await kafka.stopWriting();
    console.log(
      `${edge.count} requests to a service, ${api.count} to the API (${api.repeats} repeated), ${kafka.acknowledged.length} messages; ` +
        `a message waited for ${kafka.longestPauseMs} ms at most, and the database answered ${rowsMs} ms after the SIGTERM`,
    );
    expect(edge.failures).toEqual([]);
    expect(api.failures).toEqual([]);
    expect(place.instances()).toEqual(expect.arrayContaining([...instances]));
    expect(kafka.longestPauseMs).toBeLessThan(GAP_MS);
    await expect.poll(() => kafka.acknowledged.filter((value) => !kafka.read.has(value))).toEqual([]);
    await kafka.close();
    secrets = ['first', ...api.written];
    messages = kafka.acknowledged;
    await expectEverything(next, place, kafka);
  });

  test('leaves everything there for a backup, from which the new version starts in another place', async () => {
    const archive = join(place.dataDir, '..', `${basename(place.dataDir)}.tar.zst`);
    const other = await openPlace();
    restored = other.place;
    await succeed(['backup', archive], place);
    expect(await next.end('SIGINT')).toBe(0);
    await succeed(['restore', archive], restored);
    rmSync(archive);
    // A backup leaves out rows of databases and messages: operators copy these directories while the platform is stopped.
    for (const engine of ['databases', 'streaming'])
      execFileSync('cp', ['-a', join(place.dataDir, engine), join(restored.dataDir, engine)]);
    const started = await restored.start(other.environment);
    await expectEverything(started, restored, kafkaLoad(other.environment));
  });
});
