/** Checks Kafka clusters: each broker, the sign-in, and the rights that operations.md lists. Creates nothing. */
import { ConfiguredClusters, type ConfiguredCluster } from '#adapters/streaming-kafka/configured-clusters.ts';
import { errorMessage } from '#kernel/caught.ts';
import type { StreamingEnvironment } from '#ports/streaming.ts';
import { causeOf, type Check, type ChecksOf, type Findings } from './check.ts';

const RIGHTS = 'Give the user the rules of docs/operations.md, Event streaming, with kafka-acls.sh --add.';

const adviceFor = (isRefused: boolean, cause: string, suffix: string): string => {
  if (isRefused)
    return `Correct SLIPWAY_KAFKA_USER_${suffix}, SLIPWAY_KAFKA_PASSWORD_${suffix} and SLIPWAY_KAFKA_MECHANISM_${suffix}. The user must exist with a SCRAM password of this mechanism.`;
  if (/certificate|TLS|SSL/i.test(cause))
    return `SLIPWAY_KAFKA_TLS_${suffix} is off for a listener without TLS. SLIPWAY_KAFKA_TLS_CA_FILE_${suffix} names the authority of the brokers' certificates.`;
  return `Correct SLIPWAY_KAFKA_BROKERS_${suffix}. Each must be a listener with SASL that this machine reaches.`;
};

interface Broker {
  readonly name: string;
  /** Suffix of the variables: `PRODUCTION`. */
  readonly suffix: string;
}
const broker = async (
  findings: Findings,
  { name, suffix }: Broker,
  connect: () => Promise<{ close(): Promise<void> }>,
): Promise<boolean> => {
  try {
    await (await connect()).close();
    findings.ok(`The broker ${name} answers and accepts the sign-in.`);
    return true;
  } catch (error) {
    const isRefused = /PLT_KFK_AUTHENTICATION|SASL|authentication/i.test(`${causeOf(error)} ${errorMessage(error)}`);
    findings.failed(
      `The broker ${name} ${isRefused ? 'refuses the sign-in' : 'cannot be reached'}: ${causeOf(error)}.`,
      adviceFor(isRefused, causeOf(error), suffix),
    );
    return false;
  }
};

const clusterCheck = (environment: StreamingEnvironment, chosen: ConfiguredCluster): Check => ({
  subject: `kafka ${environment}`,
  run: async (findings) => {
    const { KafkaCluster } = await import('#adapters/streaming-kafka/operations.ts');
    const cluster = new KafkaCluster(() => new ConfiguredClusters({ [environment]: chosen }).access(environment));
    try {
      let reached = 0;
      for (const address of chosen.brokers) {
        const named = { name: `${address.host}:${address.port}`, suffix: environment.toUpperCase() };
        if (await broker(findings, named, () => cluster.connectAs(address, chosen.user, chosen.password))) reached++;
      }
      if (reached > 0) await rights(findings, cluster);
    } finally {
      await cluster.close();
    }
  },
});

const rights = async (
  findings: Findings,
  cluster: InstanceType<(typeof import('#adapters/streaming-kafka/cluster.ts'))['KafkaCluster']>,
) => {
  const { clusterRights, mayCreateTopics, topicRights } = await import('#adapters/streaming-kafka/granted-rights.ts');
  const missing = await clusterRights(cluster);
  if (missing.length === 0) findings.ok('The user may see and change access rules and users (cluster: ALTER, DESCRIBE).');
  else findings.failed(`The user lacks ${missing.join(' and ')} on the cluster.`, RIGHTS);
  const refused = await mayCreateTopics(cluster);
  if (refused === undefined) findings.ok('The user may create topics.');
  else findings.failed(`The user may not create topics: ${refused}.`, RIGHTS);
  const topics = await topicRights(cluster);
  if (topics === undefined) findings.ok('The cluster has no topic yet on which other rights could be tried.');
  else if (topics.missing.length === 0) findings.ok(`The user has every right that Slipway needs on topics, tried on ${topics.topic}.`);
  else findings.failed(`The user lacks ${topics.missing.join(', ')} on the topic ${topics.topic}.`, RIGHTS);
};

export const kafkaChecks: ChecksOf = ({ streaming }) =>
  streaming.kind === 'embedded'
    ? []
    : (['development', 'production'] as const).flatMap((environment) => {
        const chosen = streaming.clusters[environment];
        return chosen ? [clusterCheck(environment, chosen)] : [];
      });
