/**
 * The port's suite against a real Apache Kafka, which `npm run test:engines -- kafka` starts (scripts/engines.ts). The same suite runs
 * against the embedded broker in streaming-embedded.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { AclOperations, AclPermissionTypes, createAclsV2, ResourcePatternTypes, ResourceTypes } from '@platformatic/kafka';
import { describe, expect, test } from 'vitest';
import { streamingSuite } from '#ports/streaming.suite.ts';
import { ConfiguredClusters, type ConfiguredCluster } from './configured-clusters.ts';
import { KafkaCluster } from './cluster.ts';
import { clusterRights, mayCreateTopics, topicRights } from './granted-rights.ts';
import { kafkaClient } from './kafka-client.fixture.ts';
import { KafkaStreaming } from './kafka-streaming.ts';

const { TEST_KAFKA: given } = process.env;
interface Engine extends ConfiguredCluster {
  readonly tlsPort: number;
  readonly authorityFile: string;
  /** Commands of the test kit. */
  readonly restart?: { readonly down: string; readonly up: string; readonly env: NodeJS.ProcessEnv };
}
const engine: Engine = given
  ? JSON.parse(given)
  : { brokers: [], user: '', password: '', mechanism: 'SCRAM-SHA-512', tls: 'none', tlsPort: 0, authorityFile: '' };

const streamingOf = (more: Partial<ConfiguredCluster> = {}): KafkaStreaming =>
  new KafkaStreaming({ kind: 'kafka', source: new ConfiguredClusters({ development: { ...engine, ...more } }) });

const { CLUSTER, TOPIC, GROUP } = ResourceTypes;
const { CREATE, DELETE, ALTER, DESCRIBE, ALTER_CONFIGS, DESCRIBE_CONFIGS, READ, WRITE } = AclOperations;
/** The permissions that operations.md lists for the platform's user. */
const needed = [
  { resourceType: CLUSTER, resourceName: 'kafka-cluster', operations: [ALTER, DESCRIBE] },
  { resourceType: TOPIC, resourceName: '*', operations: [CREATE, DELETE, ALTER, DESCRIBE, ALTER_CONFIGS, DESCRIBE_CONFIGS, READ, WRITE] },
  { resourceType: GROUP, resourceName: '*', operations: [DESCRIBE, DELETE] },
] as const;
const platform = { user: 'suite-platform', password: 'the-password-of-the-platform-itself' };

const openPlatformUser = async (): Promise<void> => {
  const admin = streamingOf();
  await admin.openUser('development', platform.user, platform.password);
  await admin.close();
  const cluster = new KafkaCluster(() => new ConfiguredClusters({ development: engine }).access('development'));
  const acl = {
    resourcePatternType: ResourcePatternTypes.LITERAL,
    principal: `User:${platform.user}`,
    host: '*',
    permissionType: AclPermissionTypes.ALLOW,
  };
  const acls = needed.flatMap(({ operations, ...resource }) => operations.map((operation) => ({ ...resource, ...acl, operation })));
  await cluster.askController('CreateAcls', createAclsV2.api, acls);
  await cluster.close();
};

const RESTART_MS = 5 * 60_000;
const run = promisify(execFile);

describe.skipIf(!given)('a real Apache Kafka', () => {
  streamingSuite('as event streaming, for a user with the rights that are needed and no more', async () => {
    await openPlatformUser();
    const streaming = streamingOf(platform);
    const client = kafkaClient(await streaming.connection('development'));
    return { streaming, client, close: () => streaming.close() };
  });

  test('is reached by TLS, and not without the authority that signed its certificate', async () => {
    const brokers = [{ host: 'localhost', port: engine.tlsPort }];
    const certificateAuthority = readFileSync(engine.authorityFile, 'utf8');
    const secure = streamingOf({ brokers, tls: { certificateAuthority } });
    expect((await secure.cluster('development')).maxReplication).toBe(1);
    expect((await secure.connection('development')).securityProtocol).toBe('SASL_SSL');
    await secure.close();
    const unknown = streamingOf({ brokers, tls: 'system' });
    await expect(unknown.cluster('development')).rejects.toMatchObject({ kind: 'unavailable' });
    await unknown.close();
  });

  test('says plainly that the platform may not sign in, or may not do something', async () => {
    const wrong = streamingOf({ password: 'wrong' });
    await expect(wrong.listTopics('development', '')).rejects.toMatchObject({ kind: 'rejected', code: 'StreamingSignInRefused' });
    await wrong.close();
    const admin = streamingOf();
    await admin.openUser('development', 'suite.powerless', 'a-password');
    const powerless = streamingOf({ user: 'suite.powerless', password: 'a-password' });
    await expect(powerless.openUser('development', 'suite.other', 'x')).rejects.toMatchObject({
      kind: 'rejected',
      code: 'StreamingNotAuthorized',
    });
    await expect(powerless.setRights('development', 'suite.other', [])).rejects.toMatchObject({ code: 'StreamingNotAuthorized' });
    await powerless.close();
    await admin.closeUser('development', 'suite.powerless');
    await admin.close();
  });

  test('says which rights a user has, and creates nothing for it', async () => {
    await openPlatformUser();
    const admin = streamingOf();
    const [topic, name] = ['suite.rights', 'suite.lacking'];
    await admin.createTopic('development', { name: topic, partitions: 1, replication: 1, configs: {} });
    await admin.openUser('development', name, 'a-password');
    const rightsOf = async (login: { user: string; password: string }) => {
      const cluster = new KafkaCluster(() => new ConfiguredClusters({ development: { ...engine, ...login } }).access('development'));
      const found = [await clusterRights(cluster), await mayCreateTopics(cluster), (await topicRights(cluster))?.missing];
      await cluster.close();
      return found;
    };
    const before = await admin.listTopics('development', '');
    expect(await rightsOf(platform)).toEqual([[], undefined, []]);
    expect(await rightsOf({ user: name, password: 'a-password' })).toEqual([['ALTER', 'DESCRIBE'], expect.any(String), undefined]);
    expect(await admin.listTopics('development', '')).toEqual(before);
    await admin.closeUser('development', name);
    await admin.deleteTopic('development', topic);
    await admin.close();
  });

  test('names, counts and protects readers of the newer group protocol', { timeout: 60_000 }, async () => {
    const admin = streamingOf();
    const [topic, group] = ['suite.newer', 'suite.newer.readers'];
    await admin.createTopic('development', { name: topic, partitions: 2, replication: 1, configs: {} });
    await admin.produce('development', topic, { partition: 0, key: null, value: Buffer.from('a') });
    const client = kafkaClient(await admin.connection('development'), 'consumer');
    await client.consume(engine, topic, group, 1, async () => {
      const [live] = await admin.groupsOfTopic('development', topic);
      expect(live).toMatchObject({ group, state: 'Stable', members: [{ partitions: [0, 1] }] });
      expect((await admin.surveyTopics('development', [topic])).get(topic)?.groups).toEqual([live]);
    });
    expect(await admin.groupsOfTopic('development', topic)).toMatchObject([{ group, state: 'Empty', members: [], lag: 0n }]);
    await admin.deleteTopic('development', topic);
    await admin.close();
  });

  test.skipIf(!engine.restart)('lets everybody sign in after a restart, whoever was closed before', { timeout: RESTART_MS }, async () => {
    const { restart = { down: '', up: '', env: {} } } = engine;
    const admin = streamingOf();
    const users = Array.from({ length: 20 }, (_, at) => `suite.restarted-${at}`);
    for (const user of users) await admin.openUser('development', user, 'before');
    for (const user of users.slice(1)) await admin.closeUser('development', user);
    await admin.close();
    const env = { ...process.env, ...restart.env };
    await run(restart.down, { env });
    await run(restart.up, { env });
    const after = streamingOf();
    const [open = '', closed = ''] = users;
    expect([await after.canSignIn('development', open, 'before'), await after.canSignIn('development', closed, 'before')]).toEqual([
      true,
      false,
    ]);
    expect(await after.listUsers('development', 'suite.restarted-')).toEqual([open]);
    await after.openUser('development', closed, 'again');
    expect(await after.canSignIn('development', closed, 'again')).toBe(true);
    await after.close();
  });
});

test('a cluster that does not answer, and an environment without one, are unavailable', async () => {
  const nobody = streamingOf({ brokers: [{ host: '127.0.0.1', port: 1 }], user: 'a', password: 'b', tls: 'none' });
  await expect(nobody.listTopics('development', '')).rejects.toMatchObject({ kind: 'unavailable' });
  await expect(nobody.listTopics('production', '')).rejects.toMatchObject({ kind: 'unavailable' });
  await nobody.close();
});
