/** Makes Kubernetes runtimes for tests on a real cluster, with images in an embedded registry that the cluster's node reaches. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { LocalBuilder } from '@slipway/runtime/builder/local-builder.ts';
import { startRegistry } from '@slipway/registry/registry.fixture.ts';
import { makeTokens, silentLog } from '@slipway/runtime/local/runtime-subject.fixture.ts';
import { detectSandbox } from '@slipway/runtime/sandbox/detect-sandbox.ts';
import { SAMPLE_PROGRAM } from '#ports/runtime.sample.ts';
import type { RuntimeSubject } from '#ports/runtime.suite-runtime.ts';
import { freePort } from '#testing/free-port.ts';
import { ClusterApi } from '#adapters/runtime-kubernetes/api/cluster-api.ts';
import type { ClusterSettings } from '#adapters/runtime-kubernetes/cluster.ts';
import { KubernetesRuntime, type KubernetesTimings } from '#adapters/runtime-kubernetes/kubernetes-runtime.ts';
import { platformMark } from '#adapters/runtime-kubernetes/objects/names.ts';

export interface TestCluster {
  readonly kubeconfig: string;
  /** The kit's commands. `reach` makes a port of this machine answer inside the node. */
  readonly kit: string;
  /** Address from which pods see this machine. */
  readonly edgeAddress: string;
  /** The kit's variables, for its commands. */
  readonly env: NodeJS.ProcessEnv;
  /** Directory with kubectl. */
  readonly bin: string;
  /** Directory with the pids of the cluster's programs. */
  readonly pids: string;
}
/** Undefined if the run has no cluster. */
export const testCluster = (): TestCluster | undefined => {
  const text = process.env['TEST_KUBERNETES'];
  return text === undefined ? undefined : (JSON.parse(text) as TestCluster);
};

export const reach = ({ env, kit }: TestCluster, port: number): void => {
  execFileSync(join(kit, 'reach'), [String(port)], { env: { ...process.env, ...env } });
};
export const kubectl = ({ bin, kubeconfig }: TestCluster, ...args: string[]): string =>
  execFileSync(join(bin, 'kubectl'), args, { env: { ...process.env, KUBECONFIG: kubeconfig }, encoding: 'utf8' });

const rights = resolve(import.meta.dirname, '../../../../../deploy/kubernetes/rbac.yaml');
/** Returns a kubeconfig file for the account of `deploy/kubernetes/rbac.yaml`, which has no further rights. */
export async function leastRights(cluster: TestCluster, directory: string): Promise<string> {
  kubectl(cluster, 'apply', '-f', rights);
  const token = kubectl(cluster, '-n', 'slipway', 'create', 'token', 'slipway', '--duration', '2h').trim();
  const { parse, stringify } = await import('yaml');
  const config = parse(await readFile(cluster.kubeconfig, 'utf8')) as { users: { user: object }[] };
  const file = join(directory, 'least-rights.kubeconfig');
  await writeFile(file, stringify({ ...config, users: config.users.map((one) => ({ ...one, user: { token } })) }), { mode: 0o600 });
  return file;
}

export const quickTimings: Partial<KubernetesTimings> = { sameFailureMs: 0, emptyNamespaceMs: 2000, sweepMs: 500, awayMs: 5000 };

/** One CPU is shared by many pods of tests, so little of it is reserved. */
export const testSettings = (cluster: TestCluster, publicUrl: string): Omit<ClusterSettings, 'pullAccess' | 'registryHost'> => ({
  mark: platformMark(publicUrl),
  quota: { pods: '200', 'limits.memory': '64Gi' },
  edgeSources: [cluster.edgeAddress],
  egressInside: [],
  drainSeconds: 1,
  cpuRequestPercent: 1,
});

export interface KubernetesSubject extends RuntimeSubject {
  readonly runtime: KubernetesRuntime;
  readonly api: ClusterApi;
  readonly settings: ClusterSettings;
  /** Another server on the same cluster and data directory. */
  another(): Promise<KubernetesRuntime>;
}

export async function makeKubernetesSubject(cluster: TestCluster): Promise<KubernetesSubject> {
  const dataDir = await mkdtemp(join(tmpdir(), 'slipway-kubernetes-'));
  const registry = await startRegistry();
  await registry.registry.projectEnsure('shop', 'tests');
  const builder = new LocalBuilder({
    dataDir: join(dataDir, 'builds'),
    registry: registry.registry,
    sandbox: await detectSandbox(),
    log: silentLog,
    isSandboxRequired: false,
  });
  const manifest = { name: 'sample', scripts: { start: 'node main.js' } };
  const files = Object.entries({ 'package.json': JSON.stringify(manifest), 'main.js': SAMPLE_PROGRAM });
  const { digest } = await builder.build({
    buildId: 'sample',
    files: files.map(([path, text]) => ({ path, content: Buffer.from(text), isExecutable: false })),
    repository: 'shop/shop',
    tag: 'v1',
    labels: {},
    onLog: () => {},
  });
  const robot = await registry.registry.robotEnsure('shop', 'nodes', ['pull']);
  const { host, port } = new URL(registry.registry.baseUrl);
  reach(cluster, Number(port));
  const { edge, tokens } = await makeTokens();
  const settings: ClusterSettings = {
    ...testSettings(cluster, dataDir),
    registryHost: host,
    pullAccess: () => ({ username: robot.username, password: robot.secret }),
  };
  const source = { kubeconfig: await leastRights(cluster, dataDir), context: undefined };
  const make = async (): Promise<KubernetesRuntime> =>
    new KubernetesRuntime({
      dataDir: join(dataDir, 'runtime'),
      ingressHost: '127.0.0.1',
      ingressPort: await freePort(),
      tokens: edge,
      clusters: { '*': source },
      settings,
      log: silentLog,
      timings: quickTimings,
    });
  return {
    runtime: await make(),
    another: make,
    api: await ClusterApi.open(source),
    settings,
    image: { repository: 'shop/shop', digest },
    tokens,
    inside: '127.0.0.2:1',
    hasWholeSeconds: true,
    async close() {
      await builder.close();
      kubectl(cluster, 'delete', 'namespace', '-l', `slipway.dev/platform=${settings.mark}`, '--wait=false');
      await registry.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
