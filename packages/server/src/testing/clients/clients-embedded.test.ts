/** Clients of other languages with the embedded broker, where `npm run test:engines -- clients` has said where their tools may be made. Those of Node are in snippets.test.ts. */
import { describe, test } from 'vitest';
import { clientCases, clientSuite, schemasOf } from './client.suite.ts';
import { openClientPlatform, type ClientPlatform } from './client-platform.fixture.ts';
import { featureAccounts, featureSuite } from './feature.suite.ts';

const cases = clientCases.filter(({ language }) => language !== 'node' && language !== 'kafkajs');
let platform: ClientPlatform;

const suite = (): void => {
  clientSuite(cases, async () => {
    const features = Object.fromEntries(featureAccounts.map((name) => [name, 'visit'] as const));
    platform = await openClientPlatform({ ...schemasOf(cases), ...features });
    return platform;
  });
  featureSuite({
    platform: () => platform,
    newerGroups: /^newer-groups UnsupportedVersionException .*does not support the new CONSUMER group protocol/,
    transactions: {
      java: /^transaction KafkaException .*This development broker has no transactions/,
      librdkafka: /^transaction TRANSACTIONAL_ID_AUTHORIZATION_FAILED .*This development broker has no transactions/,
    },
  });
};
// Nothing is looked for on the machine where nobody asked.
if (process.env['TEST_CLIENTS_TOOLS'] === undefined) test.skip('run by: npm run test:engines -- clients');
else describe('the embedded broker', suite);
