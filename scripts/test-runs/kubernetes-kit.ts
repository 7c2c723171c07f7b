/** A real Kubernetes for a run of tests: the kit beside the checkout starts it on ports and with data of its own, and ends it with the run. */
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildConsole } from '../build-console.ts';
import { engineCache } from './engines-kit.ts';
import { one, type Count } from './test-count.ts';

const kit = resolve(import.meta.dirname, '../../../shared/engines-kit/kubernetes');
const cache = join(engineCache, 'kubernetes');
const START_MS = 5 * 60_000;
/** The kit has one set of addresses, so one cluster at a time. */
const LINK = '/sys/class/net/slipwayk8s';
/** Address of this machine as the node and its pods see it. */
const edgeAddress = '10.203.0.1';
const PROGRAMS = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kube-proxy', 'kubelet', 'kubectl'];

const binaries = (): string | undefined => {
  const versions = existsSync(cache) ? readdirSync(cache).filter((name) => name.startsWith('bin-')) : [];
  return versions.map((name) => join(cache, name)).find((folder) => PROGRAMS.every((program) => existsSync(join(folder, program))));
};

/** Returns why no cluster can start on this machine. Undefined if one can. */
export const missingForKubernetes = (): string | undefined => {
  if (!existsSync(join(kit, 'up'))) return `there is no ${kit}`;
  if (process.getuid?.() !== 0) return 'it needs root';
  if (spawnSync('go', ['version'], { stdio: 'ignore' }).status !== 0) return 'there is no go';
  // The first build takes up to an hour, so no run of tests starts it.
  if (!binaries()) return `Kubernetes is not built: run ${join(kit, 'build')} once`;
  return existsSync(LINK) ? 'another cluster of the kit runs' : undefined;
};

/** Runs tests with the environment variables for the cluster's fixtures. */
export const onKubernetes = async (folder: string, test: (env: NodeJS.ProcessEnv) => Promise<Count>): Promise<Count> => {
  const state = join(folder, 'kubernetes');
  const port = randomInt(20_000, 32_000);
  const env = {
    ENGINES_K8S_STATE: state,
    ENGINES_K8S_WITHOUT: 'edge dns metrics registry',
    ENGINES_K8S_API_PORT: String(port),
    ENGINES_K8S_HTTP_PORT: String(port + 1),
    ENGINES_K8S_HTTPS_PORT: String(port + 2),
  };
  const call = (command: string): boolean =>
    spawnSync(join(kit, command), [], { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, ...env }, timeout: START_MS })
      .status === 0;
  const bin = binaries() ?? '';
  try {
    if (!call('up')) return one(false, 'Kubernetes did not start');
    // The platform's program serves the console.
    buildConsole();
    const cluster = { kubeconfig: join(state, 'kubeconfig'), kit, env, bin, edgeAddress, pids: join(state, 'pids') };
    return await test({ TEST_KUBERNETES: JSON.stringify(cluster) });
  } finally {
    call('down');
  }
};
