/** Checks that the broker and the registry hold what the rows want, and that the broker holds every acknowledged message. */
import { RawClient } from '@slipway/kafka/raw-client.fixture.ts';
import { programToken } from '../program.ts';
import { brokerPassword, inRegistry, keysOnTopic, onBroker, streamingDifferences, wantedByRows } from '../streaming/broker-state.ts';
import type { Checked } from './row-checks.ts';
import { messageTopicOf } from './stormed-streaming.ts';

export const streamingChecks = async ({ platform }: Checked): Promise<string[]> => {
  const { dataDir, kafkaPorts } = platform.place;
  const password = await brokerPassword(platform.database, dataDir);
  const there = { ...(await onBroker(kafkaPorts[0], password)), subjects: await inRegistry(platform.url, programToken) };
  return streamingDifferences(there, await wantedByRows(platform.database));
};

export const messageChecks = async ({ platform, journal }: Checked): Promise<string[]> => {
  const { dataDir, kafkaPorts, prefix } = platform.place;
  const client = await RawClient.signedIn(kafkaPorts[0], 'slipway', await brokerPassword(platform.database, dataDir));
  try {
    const there = new Set(await keysOnTopic(client, messageTopicOf(prefix), 0));
    return journal
      .of('message', 'acknowledged')
      .flatMap(({ name = '' }) => (there.has(name) ? [] : [`The message ${name} was acknowledged and is not on its topic`]));
  } finally {
    client.close();
  }
};
