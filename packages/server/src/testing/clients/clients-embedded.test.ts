/** Clients of other languages with the embedded broker, where `npm run test:engines -- clients` has said where their tools may be made. Those of Node are in snippets.test.ts. */
import { describe, test } from 'vitest';
import { clientCases, clientSuite, schemasOf } from './client.suite.ts';
import { openClientPlatform, type ClientPlatform } from './client-platform.fixture.ts';
import { featureAccounts, featureSuite } from './feature.suite.ts';
import { streamsAccount, streamsSuite } from './streams.suite.ts';

const cases = clientCases.filter(({ language }) => language !== 'node' && language !== 'kafkajs');
let platform: ClientPlatform;

const suite = (): void => {
  clientSuite(cases, async () => {
    const features = Object.fromEntries([...featureAccounts, streamsAccount].map((name) => [name, 'visit'] as const));
    platform = await openClientPlatform({ ...schemasOf(cases), ...features });
    return platform;
  });
  featureSuite({
    platform: () => platform,
    newerGroups: {
      java: /^newer-groups UnsupportedVersionException .*does not support the new CONSUMER group protocol/,
      // It waits for a coordinator that answers, and reads nothing.
      librdkafka: /^newer-groups 0( |$)/,
    },
    transactions: {
      java: /^transaction KafkaException .*This development broker has no transactions/,
      librdkafka: /^transaction TRANSACTIONAL_ID_AUTHORIZATION_FAILED .*This development broker has no transactions/,
    },
  });
  streamsSuite(() => platform);
};
// Nothing is looked for on the machine where nobody asked.
if (process.env['TEST_CLIENTS_TOOLS'] === undefined) test.skip('run by: npm run test:engines -- clients');
else describe('the embedded broker', suite);
