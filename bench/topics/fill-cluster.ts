/** Makes on the cluster what the rows stand for: topics, users and rules, many in each request. */
import { pbkdf2Sync, randomBytes } from 'node:crypto';
import {
  AclOperations,
  AclPermissionTypes,
  alterUserScramCredentialsV0,
  createAclsV2,
  createTopicsV7,
  ResourcePatternTypes,
  ResourceTypes,
  ScramMechanisms,
} from '@platformatic/kafka';
import { configsOf } from '../../packages/server/src/modules/streaming/topics/topic-configs.ts';
import type { Scene } from './scene.ts';

const AT_ONCE = 250;
const ITERATIONS = 4096;

const inParts = async <Item>(items: readonly Item[], work: (some: Item[]) => Promise<unknown>): Promise<void> => {
  for (let first = 0; first < items.length; first += AT_ONCE) await work(items.slice(first, first + AT_ONCE));
};

const makeTopics = async ({ db, cluster }: Scene): Promise<void> => {
  const rows = await db.selectFrom('topic').selectAll().execute();
  await inParts(rows, (some) => {
    const wanted = some.map((row) => ({
      name: row.topic_name,
      numPartitions: row.partitions,
      replicationFactor: row.replication_factor,
      assignments: [],
      configs: Object.entries(configsOf(row, 1)).map(([name, value]) => ({ name, value })),
    }));
    return cluster.askController('CreateTopics', createTopicsV7.api, wanted, 60_000, false);
  });
};

const makeUsers = async ({ db, cluster }: Scene): Promise<void> => {
  const salt = randomBytes(32);
  const saltedPassword = pbkdf2Sync('a-password-of-the-bench', salt, ITERATIONS, 64, 'sha512');
  const mechanism = ScramMechanisms.SCRAM_SHA_512;
  const rows = await db.selectFrom('account').select('principal').execute();
  await inParts(rows, (some) => {
    const users = some.map(({ principal: name }) => ({ name, mechanism, iterations: ITERATIONS, salt, saltedPassword }));
    return cluster.askController('AlterUserScramCredentials', alterUserScramCredentialsV0.api, [], users);
  });
};

const makeRules = async ({ db, cluster }: Scene): Promise<void> => {
  const rows = await db.selectFrom('account_rule').selectAll().execute();
  await inParts(rows, (some) => {
    const rules = some.map(({ resource, pattern, name, operation, cluster_user: user }) => ({
      resourceType: resource === 'topic' ? ResourceTypes.TOPIC : ResourceTypes.GROUP,
      resourceName: name,
      resourcePatternType: pattern === 'literal' ? ResourcePatternTypes.LITERAL : ResourcePatternTypes.PREFIXED,
      principal: `User:${user}`,
      host: '*',
      operation: operation === 'read' ? AclOperations.READ : AclOperations.WRITE,
      permissionType: AclPermissionTypes.ALLOW,
    }));
    return cluster.askController('CreateAcls', createAclsV2.api, rules);
  });
};

export const fillCluster = async (scene: Scene): Promise<void> => {
  await makeTopics(scene);
  await makeUsers(scene);
  await makeRules(scene);
};
