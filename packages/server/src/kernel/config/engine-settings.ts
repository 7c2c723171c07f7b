/** Settings that choose engines and say where they are, by environment and region. */
import net from 'node:net';
import { forEnvironments, forRegions, setting } from './setting.ts';
import {
  ANY,
  choiceOr,
  HIGHEST_PORT,
  isNetwork,
  list,
  listText,
  mapOr,
  matching,
  numberOr,
  path,
  port,
  headerSecret,
  secret,
  secretUrl,
  text,
  toggleOr,
  url,
} from './value-kinds.ts';

const WEB = ['http:', 'https:'];
const embedded = choiceOr('embedded', ['embedded']);

/**
 * Services reach the server by this name through a forward of the runtime. A numeric address is unreachable there, except this machine's
 * loopback address.
 */
const isReachable = (host: string): boolean => host !== '' && (net.isIP(host) === 0 || host === '127.0.0.1');
const SSL_MODES = new Set([null, 'disable', 'require', 'verify-ca', 'verify-full']);
const dsn = secretUrl(
  ['postgres:', 'postgresql:'],
  'must be a URL like postgres://admin:password@db.example.com:5432/postgres?sslmode=verify-full, with a name as its host',
  ({ hostname, username, password, searchParams }) =>
    username !== '' && password !== '' && isReachable(hostname) && SSL_MODES.has(searchParams.get('sslmode')),
);
/** Base URL of a registry. Request paths are appended to its path. */
const registryUrl = url(
  WEB,
  'must be an http or https URL like https://registry.example.com/apis/ccompat/v7, without user name and query',
  ({ search, hash, username, password }) => search === '' && hash === '' && username === '' && password === '',
);

export interface Broker {
  readonly host: string;
  readonly port: number;
}
/** Reads `kafka1.example.com:9092,kafka2.example.com:9092`. Returns undefined if an entry is wrong. */
export function brokersOf(entries: string): readonly Broker[] | undefined {
  const brokers = entries.split(',').map((entry) => {
    const [, host = '', number = ''] = /^([A-Za-z0-9.-]+):([1-9]\d{0,4})$/.exec(entry.trim()) ?? [];
    return isReachable(host) && Number(number) <= HIGHEST_PORT ? [{ host, port: Number(number) }] : [];
  });
  return brokers.every((broker) => broker.length === 1) ? brokers.flat() : undefined;
}
const brokers = listText(
  (entries) => brokersOf(entries) !== undefined,
  'must be brokers like kafka1.example.com:9092,kafka2.example.com:9092, each a name',
);
/** Accepts an address, a network, or `namespace:<name>`. */
const isEdgeSource = (entry: string): boolean => /^namespace:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(entry) || isNetwork(entry);

const KAFKA = 'streaming.environments.*';
const SCHEMAS = 'schemaRegistry.environments.*';

export const engineSettings = {
  SLIPWAY_RUNTIME: setting(
    'runtime.engine',
    choiceOr('embedded', ['embedded', 'kubernetes']),
    'where services run: `embedded` is processes on this machine; `kubernetes` is [pods in a cluster](guide/kubernetes.md)',
  ),
  SLIPWAY_KUBERNETES_KUBECONFIG: setting('runtime.kubernetes.kubeconfig', path, 'with `kubernetes`, the kubeconfig file', {
    usually: "none: the account of the server's own pod, or the user's default file",
  }),
  SLIPWAY_KUBERNETES_CONTEXT: setting('runtime.kubernetes.context', text, 'the context of the cluster that serves all regions', {
    usually: "the file's current context",
  }),
  ...forRegions(
    'SLIPWAY_KUBERNETES_CONTEXT',
    'runtime.kubernetes.regions.*.context',
    text,
    "the context of the region's cluster. With one of these, regions without one are refused",
  ),
  SLIPWAY_KUBERNETES_REGISTRY: setting(
    'runtime.kubernetes.registry',
    matching(/^[A-Za-z0-9.-]+(?::[1-9]\d{0,4})?$/, 'must be a host or host:port'),
    "host and port under which nodes reach the platform's registry",
    { usually: 'the host of `SLIPWAY_PUBLIC_URL`' },
  ),
  SLIPWAY_KUBERNETES_EDGE_SOURCES: setting(
    'runtime.kubernetes.edgeSources',
    list(isEdgeSource, 'must be addresses, networks or namespace:<name>, like 10.0.0.1,namespace:slipway'),
    'from where the edge connects to pods: addresses, networks or `namespace:<name>`, separated by commas. Network policies allow these alone',
    { usually: 'none, required with `kubernetes`' },
  ),
  SLIPWAY_KUBERNETES_POD: setting(
    'runtime.kubernetes.pod',
    matching(/^[a-z0-9-]+\/[a-z0-9.-]+$/, 'must be the namespace and name of a pod, like slipway/slipway-0'),
    "in a pod, its `namespace/name`. The pod of the replica that drives the runtime then gets the label `slipway.dev/edge=open`, by which the edge's Service finds it. Its own account needs `patch` for pods there. The [Helm chart](guide/slipway-in-a-cluster.md) sets it",
    { shared: 'own' },
  ),
  SLIPWAY_KUBERNETES_QUOTA: setting(
    'runtime.kubernetes.quota',
    mapOr('pods=200,requests.cpu=32,limits.memory=64Gi'),
    'the quota of every namespace. A rollout needs room for two revisions',
  ),
  SLIPWAY_KUBERNETES_CPU_REQUEST_PERCENT: setting(
    'runtime.kubernetes.cpuRequestPercent',
    numberOr(100, 1, 100, 'must be a percentage, 1 to 100', ANY),
    "how much of a service's CPU is reserved on a node, in percent, 1 to 100. Less lets services share",
  ),
  SLIPWAY_REGISTRY: setting('registry.engine', embedded, 'which adapter keeps images; there is only this one'),
  SLIPWAY_SOURCE: setting('source.engine', embedded, 'which adapter hosts repositories; there is only this one'),
  SLIPWAY_KEYS: setting('keys.engine', embedded, 'which adapter wraps keys; there is only this one (files)'),
  SLIPWAY_DATABASES: setting(
    'databases.engine',
    choiceOr('embedded', ['embedded', 'postgres']),
    'where the [databases of apps](guide/databases.md) are made: `embedded` is a PostgreSQL of its own in the data directory, for every region; `postgres` is a server of yours for each region',
  ),
  ...forRegions(
    'SLIPWAY_DATABASES_DSN',
    'databases.regions.*.url',
    dsn,
    "with `postgres`, the region's server, PostgreSQL 16 or newer: `postgres://admin:password@db.example.com:5432/postgres?sslmode=verify-full`. The role needs `createdb` and `createrole`, and no more; [how to prepare it](operations.md#databases-of-apps). The host is a name, since services reach it by that. Taken out of the environment after the start. A region without one is not offered",
  ),
  SLIPWAY_STREAMING: setting(
    'streaming.engine',
    choiceOr('embedded', ['embedded', 'kafka']),
    'where topics are kept: `embedded` is a broker of its own in the data directory, one node for development, started when the first topic or account needs it; `kafka` is an Apache Kafka of yours, 3.5 or newer, for each environment',
  ),
  ...forEnvironments(
    'SLIPWAY_KAFKA_PORT',
    `${KAFKA}.port`,
    { DEVELOPMENT: port(19_092), PRODUCTION: port(19_093) },
    "with `embedded`, the broker's port. It listens on `HOST`, without TLS: on others than loopback, messages travel in clear, passwords do not",
  ),
  SLIPWAY_KAFKA_ADVERTISED_HOST: setting(
    'streaming.advertisedHost',
    matching(/^[\w.:-]+$/, 'must be a name or address of this machine'),
    'with `embedded`, the name or address that clients are given for the broker. The machine itself has to reach it, too',
    { usually: '`127.0.0.1` with `HOST` on loopback, else the host of `SLIPWAY_PUBLIC_URL`', shared: 'worker' },
  ),
  ...forEnvironments(
    'SLIPWAY_KAFKA_BROKERS',
    `${KAFKA}.brokers`,
    brokers,
    "with `kafka`, the cluster's brokers: `kafka1.example.com:9092,kafka2.example.com:9092`. Name all of them: clients are sent from one to another, and services reach those alone that stand here. By name, since services reach them by that. An environment without any has no topics",
  ),
  ...forEnvironments(
    'SLIPWAY_KAFKA_USER',
    `${KAFKA}.user`,
    text,
    "the platform's user there; [what it has to be allowed](operations.md#event-streaming)",
  ),
  ...forEnvironments('SLIPWAY_KAFKA_PASSWORD', `${KAFKA}.password`, secret, 'its password. Taken out of the environment after the start'),
  ...forEnvironments('SLIPWAY_KAFKA_PASSWORD_FILE', undefined, text, 'a file with its password, instead', {
    suppliesPrefix: 'SLIPWAY_KAFKA_PASSWORD',
    shared: 'own',
  }),
  ...forEnvironments(
    'SLIPWAY_KAFKA_MECHANISM',
    `${KAFKA}.mechanism`,
    choiceOr('SCRAM-SHA-512', ['SCRAM-SHA-256', 'SCRAM-SHA-512']),
    "how the platform signs in, and what its accounts' passwords are made for: `SCRAM-SHA-512` or `SCRAM-SHA-256`",
  ),
  ...forEnvironments('SLIPWAY_KAFKA_TLS', `${KAFKA}.tls`, toggleOr('on'), '`off` for brokers that listen without TLS'),
  ...forEnvironments(
    'SLIPWAY_KAFKA_TLS_CA_FILE',
    `${KAFKA}.caFile`,
    path,
    "a file with the authority, in PEM, that signed the brokers' certificates. Accounts are given it",
    { usually: 'none: the authorities that the machine knows' },
  ),
  SLIPWAY_SCHEMA_REGISTRY: setting(
    'schemaRegistry.engine',
    choiceOr('embedded', ['embedded', 'http']),
    "where [schemas of topics](guide/schema-registry.md) are kept: `embedded` is in the platform's database, at `/schema-registry/{environment}`; `http` is a registry of yours for each environment",
  ),
  ...forEnvironments(
    'SLIPWAY_SCHEMA_REGISTRY_URL',
    `${SCHEMAS}.url`,
    registryUrl,
    "with `http`, a registry that speaks Confluent's API: Confluent's, Karapace, or Apicurio as `https://registry.example.com/apis/ccompat/v7`. Clients are given this address. Another for production, since subjects have the same names in both. An environment without one has no schemas",
  ),
  ...forEnvironments(
    'SLIPWAY_SCHEMA_REGISTRY_AUTHORIZATION',
    `${SCHEMAS}.authorization`,
    headerSecret,
    'the value of the `Authorization` header with which the platform writes there: `Basic …` or `Bearer …`. Taken out of the environment',
  ),
};
