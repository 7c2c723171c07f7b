/** A small disk that is really full: producers get an error, nothing acknowledged is lost, and the broker resumes once there is space. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ADMIN, runBroker } from './broker.fixture.ts';
import { NO_TOPIC_ID } from './handlers/metadata.ts';
import { batchOf } from './log/batch.fixture.ts';
import { errors } from './protocol/errors.ts';
import { RawClient } from './raw-client.fixture.ts';

const home = mkdtempSync(path.join(tmpdir(), 'slipway-full-disk-'));
const disk = path.join(home, 'disk');
/** Linux tools. Without them, or without the right to mount, the test is skipped. */
const tools = { mount: 'mount', umount: 'umount' };
const ballast = path.join(disk, 'ballast');
const isMounted = ((): boolean => {
  mkdirSync(disk);
  try {
    execFileSync(tools.mount, ['-t', 'tmpfs', '-o', 'size=4m', 'slipway-test', disk], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
let now: Awaited<ReturnType<typeof open>>;
afterAll(async () => {
  await now?.broker.kill();
  if (isMounted) execFileSync(tools.umount, [disk]);
  rmSync(home, { recursive: true, force: true });
});

const TOPIC = 'berth.orders';
const open = async () => {
  // The broker's log is on the full disk, too.
  const log = openSync('/dev/full', 'w');
  const broker = await runBroker(path.join(disk, 'broker'), {}, 0, log);
  closeSync(log);
  const client = await RawClient.signedIn(broker.port, ADMIN.name, ADMIN.password);
  const create = async (name: string): Promise<number | undefined> => {
    const topics = [{ name, numPartitions: 2, replicationFactor: 1, assignments: [], configs: [] }];
    return (await client.call('CreateTopics', 7, { topics, timeoutMs: 1000, validateOnly: false }))?.topics[0]?.errorCode;
  };
  const produce = async (value: string, index = 0) => {
    const records = batchOf([{ key: 'k', value, timestamp: Date.now() }]);
    const topicData = [{ name: TOPIC, partitionData: [{ index, records }] }];
    const answer = await client.call('Produce', 9, { acks: -1, timeoutMs: 1000, transactionalId: null, topicData });
    return answer?.responses[0]?.partitionResponses[0];
  };
  const commit = async (committedOffset: number): Promise<number | undefined> => {
    const partitions = [
      { partitionIndex: 0, committedOffset, committedLeaderEpoch: -1, commitTimestamp: -1, committedMetadata: 'x'.repeat(1000) },
    ];
    const request = { groupId: 'berth.readers', generationIdOrMemberEpoch: -1, topics: [{ name: TOPIC, partitions }] };
    return (await client.call('OffsetCommit', 8, request))?.topics[0]?.partitions[0]?.errorCode;
  };
  const committed = async (): Promise<number | undefined> => {
    const groups = [{ groupId: 'berth.readers', memberId: null, memberEpoch: -1, topics: null }];
    const answer = await client.call('OffsetFetch', 8, { groups });
    return answer?.groups[0]?.topics[0]?.partitions[0]?.committedOffset;
  };
  const read = async (fetchOffset: number) => {
    const partitions = [
      {
        partition: 0,
        currentLeaderEpoch: -1,
        fetchOffset,
        lastFetchedEpoch: -1,
        logStartOffset: -1,
        partitionMaxBytes: 1 << 20,
        replicaDirectoryId: NO_TOPIC_ID,
      },
    ];
    const answer = await client.call('Fetch', 12, {
      maxWaitMs: 0,
      minBytes: 1,
      maxBytes: 1 << 20,
      sessionEpoch: -1,
      topics: [{ topic: TOPIC, topicId: NO_TOPIC_ID, partitions }],
    });
    return answer?.responses[0]?.partitions[0];
  };
  return { broker, create, produce, commit, committed, read, close: () => client.close() };
};

test.skipIf(!isMounted)('a full disk', async () => {
  now = await open();
  expect(await now.create(TOPIC)).toBe(errors.NONE);
  expect(await now.commit(1)).toBe(errors.NONE);
  let acknowledged = 0;
  for (;;) {
    const answer = await now.produce('x'.repeat(100_000));
    if (answer?.errorCode !== errors.NONE) {
      expect(answer).toMatchObject({ errorCode: errors.KAFKA_STORAGE_ERROR, errorMessage: expect.stringMatching(/disk/) as string });
      break;
    }
    acknowledged += 1;
  }
  expect(acknowledged).toBeGreaterThan(20);
  // Fills the last bytes, so that not even a log line fits.
  expect(() => writeFileSync(ballast, Buffer.alloc(4 << 20))).toThrow('ENOSPC');
  expect(await now.produce('small')).toMatchObject({ errorCode: errors.KAFKA_STORAGE_ERROR });
  expect(await now.produce('another partition', 1)).toMatchObject({ errorCode: errors.KAFKA_STORAGE_ERROR });
  // Some commits fit into space that the disk has already allocated to their file.
  let commits = 1;
  while ((await now.commit(commits + 1)) === errors.NONE) commits += 1;
  expect(await now.create('berth.more')).toBe(errors.KAFKA_STORAGE_ERROR);
  now.close();
  await now.broker.kill();

  now = await open();
  expect(await now.read(acknowledged - 1)).toMatchObject({ errorCode: errors.NONE, highWatermark: acknowledged });
  expect(await now.committed()).toBe(commits);
  rmSync(ballast);
  // The broker checks the free space twice a second.
  await expect.poll(async () => (await now.produce('y'))?.errorCode, { interval: 50 }).toBe(errors.NONE);
  expect(await now.commit(1)).toBe(errors.NONE);
  expect(await now.create('berth.more')).toBe(errors.NONE);
  now.close();
  expect(await now.broker.end()).toBe(0);
});
