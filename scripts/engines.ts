/**
 * Runs the suites of ports against real engines: `npm run test:engines -- kafka`, or `schema-registry`. Runs real clients against both
 * brokers (`clients`), services and Slipway's own chart on a real cluster (`kubernetes`), generated clients against the API (`api-clients`), and Protobuf verdicts
 * beside buf's (`protobuf`). Without a name it runs all, and of Kubernetes the part whose turn it is. A kit beside the checkout
 * (`../shared/engines-kit`) starts the engines, on ports and with data of their own, and ends them with the run. If the kit, Java or another
 * tool is missing, the run reports and skips what needs it. The last line counts the tests.
 */
import { randomInt } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chartTools } from './test-runs/chart-tools.ts';
import { engineCache, engineIn, missingFor, type Engine } from './test-runs/engines-kit.ts';
import { missingForKubernetes, onKubernetes } from './test-runs/kubernetes-kit.ts';
import { turnOf } from './test-runs/rotation.ts';
import { finish, inFolder, none, one, run, vitest, type Count } from './test-runs/test-count.ts';

interface Suite {
  /** The engine's folder in the kit. */
  readonly engine: string;
  readonly files: readonly string[];
  /** The oldest that it runs with. */
  readonly java: number;
  /** Environment variable from which the kit reads the port. */
  readonly port: string;
  /** Returns the environment variables for the tests, once the engine runs with its data in `folder`. */
  readonly tested: (folder: string, port: number, restart: Engine['restart']) => NodeJS.ProcessEnv;
  /** Returns the environment variables for the tests if the engine is not available. Only for suites that can test something without it. */
  readonly alone?: () => NodeJS.ProcessEnv;
}
const testKafka: Suite['tested'] = (folder, port, restart) => {
  const state = join(folder, 'state/kafka');
  const password = readFileSync(join(state, 'secret-admin'), 'utf8').trim();
  const login = { user: 'admin', password, mechanism: 'SCRAM-SHA-512', tls: 'none' };
  const tls = { tlsPort: port + 2, authorityFile: join(state, 'tls/ca.pem') };
  return { TEST_KAFKA: JSON.stringify({ brokers: [{ host: '127.0.0.1', port }], ...login, ...tls, restart }) };
};
/** Returns the variables that hold the directories of the installed clients and of the jars of the kit's newest Kafka. */
const testClients = (): NodeJS.ProcessEnv => {
  const fetched = join(engineCache, 'dist');
  const kafkas = existsSync(fetched) ? readdirSync(fetched).filter((name) => name.startsWith('kafka-')) : [];
  const newest = kafkas.toSorted().at(-1);
  const jars = newest === undefined ? {} : { TEST_CLIENTS_JARS: join(fetched, newest, 'libs') };
  return { TEST_CLIENTS_TOOLS: join(engineCache, 'clients'), ...jars };
};
const kafka: Suite = { engine: 'kafka', files: ['adapters/streaming-kafka/'], java: 17, port: 'KAFKA_PORT', tested: testKafka };
const suites: Readonly<Record<string, Suite>> = {
  kafka,
  clients: {
    ...kafka,
    files: ['testing/clients/clients-'],
    tested: (folder, port, restart) => ({ ...testKafka(folder, port, restart), ...testClients() }),
    alone: testClients,
  },
  'schema-registry': {
    engine: 'schema-registry',
    files: ['adapters/schema-registry-http/http-schema-registry.test.ts'],
    java: 21,
    port: 'REGISTRY_PORT',
    tested: (_, port) => ({ TEST_SCHEMA_REGISTRY: `http://127.0.0.1:${port}/apis/ccompat/v7` }),
  },
};
const tested = ({ engine: name, files, port: variable, tested: environment }: Suite): Promise<Count> =>
  inFolder(async (folder) => {
    // Three in a row; where one is taken the kit refuses to start.
    const port = randomInt(20_000, 32_000);
    const engine = engineIn(folder, name, { [variable]: String(port) });
    try {
      return engine.up() ? await vitest(folder, files, environment(folder, port, engine.restart)) : one(false, `${name} did not start`);
    } finally {
      engine.down();
    }
  });
const skipped = async ({ engine, files, alone }: Suite, reason: string): Promise<Count[]> => {
  process.stdout.write(`SKIPPED: the suite against a real ${engine}: ${reason}\n`);
  const without = alone ? [await inFolder((folder) => vitest(folder, files, alone()))] : [];
  return [{ ...none, skipped: 1 }, ...without];
};

/** The version whose differences the test lists. */
const BUF = '@bufbuild/buf@1.75.0';
/** Protobuf verdicts beside those of buf, a program of npm's registry. */
const protobuf = async (): Promise<Count> => {
  const prefix = join(engineCache, 'clients/buf');
  const code = await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel', 'error', '--prefix', prefix, BUF]);
  if (code === 0)
    return inFolder((folder) =>
      vitest(folder, ['engines/schemas/src/formats/protobuf/buf.test.ts'], { TEST_BUF: join(prefix, 'node_modules/.bin/buf') }),
    );
  process.stdout.write(`SKIPPED: Protobuf verdicts of buf: ${BUF} could not be fetched\n`);
  return { ...none, skipped: 1 };
};
/** The Helm chart, installed with three replicas. */
const CHART = 'testing/chart/chart.test.ts';
/** Run one after the other, because one of them kills programs of the cluster. Each takes some five minutes. */
const kubernetesParts = ['adapters/runtime-kubernetes/', 'testing/kubernetes/', CHART];
/** Returns all parts for a run that names the suite, and for a run of all suites the part whose turn it is. */
const kubernetesFiles = (isNamed: boolean): readonly string[] => {
  if (isNamed) return kubernetesParts;
  const turn = turnOf(kubernetesParts.length);
  process.stdout.write(`Of Kubernetes, ${kubernetesParts[turn]} has its turn. All of it: npm run test:engines -- kubernetes\n`);
  return kubernetesParts.slice(turn, turn + 1);
};
/** Suites without an engine of the kit that needs Java, only tools that they install themselves. They report the tools that the machine lacks. */
const withoutEngine: Readonly<Record<string, (isNamed: boolean) => Promise<Count>>> = {
  kubernetes: async (isNamed) => {
    const reason = missingForKubernetes();
    if (reason === undefined) {
      const files = kubernetesFiles(isNamed);
      const tools = files.includes(CHART) ? chartTools() : {};
      return inFolder((folder) => onKubernetes(folder, (env) => vitest(folder, [...files, '--no-file-parallelism'], { ...env, ...tools })));
    }
    process.stdout.write(`SKIPPED: services on a real Kubernetes: ${reason}\n`);
    return { ...none, skipped: 1 };
  },
  'api-clients': () => inFolder((folder) => vitest(folder, ['testing/api-clients/'], testClients())),
  protobuf,
};

const asked = process.argv.slice(2);
const countsOf = async (name: string): Promise<Count[]> => {
  const runAlone = withoutEngine[name];
  if (runAlone) return [await runAlone(asked.includes(name))];
  const suite = suites[name];
  if (!suite) return [one(false, `there is no suite for ${name}`)];
  const reason = missingFor(suite.engine, suite.java);
  return reason ? skipped(suite, reason) : [await tested(suite)];
};

const counts: Count[] = [];
for (const name of asked.length > 0 ? asked : [...Object.keys(suites), ...Object.keys(withoutEngine)])
  counts.push(...(await countsOf(name)));
finish(counts);
