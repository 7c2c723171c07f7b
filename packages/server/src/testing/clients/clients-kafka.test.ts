/** All clients with a real Apache Kafka, by TLS with an authority of its own, started by `npm run test:engines -- clients`. */
import { readFileSync } from 'node:fs';
import { describe, test } from 'vitest';
import { ConfiguredClusters } from '#adapters/streaming-kafka/configured-clusters.ts';
import { KafkaStreaming } from '#adapters/streaming-kafka/kafka-streaming.ts';
import { clientCases, clientSuite, schemasOf } from './client.suite.ts';
import type { SnippetLanguage } from '@slipway/contract/streaming/snippets/snippets.ts';
import { kcatRefusedByKafka } from './client-programs.fixture.ts';
import { openClientPlatform, type ClientPlatform } from './client-platform.fixture.ts';
import { featureAccounts, featureSuite } from './feature.suite.ts';

const { TEST_CLIENTS_TOOLS: tools, TEST_KAFKA: given = '' } = process.env;
let platform: ClientPlatform;

const kafka = (): KafkaStreaming => {
  const { user, password, mechanism, tlsPort, authorityFile } = JSON.parse(given);
  const tls = { certificateAuthority: readFileSync(authorityFile, 'utf8') };
  const development = { user, password, mechanism, tls, brokers: [{ host: 'localhost', port: tlsPort }] };
  return new KafkaStreaming({ kind: 'kafka', source: new ConfiguredClusters({ development }) });
};

const unfit = (language: SnippetLanguage): string | undefined => (language === 'kcat' ? kcatRefusedByKafka() : undefined);

const suite = (): void => {
  clientSuite(
    clientCases,
    async () => {
      const features = Object.fromEntries(featureAccounts.map((name) => [name, 'visit'] as const));
      const adapt = <Adapters extends object>(adapters: Adapters) => ({ ...adapters, streaming: kafka() });
      platform = await openClientPlatform({ ...schemasOf(clientCases), ...features }, { adapt });
      return platform;
    },
    unfit,
  );
  featureSuite({
    platform: () => platform,
    newerGroups: { java: /^newer-groups 301$/, librdkafka: /^newer-groups 301$/ },
    transactions: {
      java: /^transaction TransactionalIdAuthorizationException /,
      librdkafka: /^transaction TRANSACTIONAL_ID_AUTHORIZATION_FAILED /,
    },
    unfit,
  });
};
// Nothing is looked for on the machine where nobody asked.
if (tools === undefined || given === '') test.skip('run by: npm run test:engines -- clients');
else describe('Apache Kafka', suite);
