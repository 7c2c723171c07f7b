/** A data directory whose servers come and go, with what runs on it: what the tests of a node agent that outlives its server look at. */
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { actingAgent, killAgent } from '@slipway/runtime/local/agent/agent-lock.ts';
import { cgroupMounts } from '@slipway/runtime/sandbox/control-groups/control-group-files.ts';
import { descendants, readProcesses } from '@slipway/runtime/sandbox/process-tree.ts';
import { freePort } from '#testing/free-port.ts';
import { testDatabase, type TestDatabase } from './database.ts';
import { Program, removeData } from './program.ts';

export class Place {
  readonly database: TestDatabase;
  readonly dataDir: string;
  readonly ingressPort: number;
  readonly #programs: Program[] = [];

  private constructor(database: TestDatabase, dataDir: string, ingressPort: number) {
    this.database = database;
    this.dataDir = dataDir;
    this.ingressPort = ingressPort;
  }

  static async open(): Promise<Place> {
    const dataDir = await mkdtemp(join(tmpdir(), 'slipway-outliving-'));
    return new Place(await testDatabase({ isEmpty: true }), dataDir, await freePort());
  }

  async start(env: Readonly<Record<string, string>> = {}, how?: Parameters<typeof Program.start>[2]): Promise<Program> {
    const all = {
      SLIPWAY_PUBLIC_URL: 'http://localhost:4000',
      SLIPWAY_INGRESS_PORT: String(this.ingressPort),
      SLIPWAY_DATA: this.dataDir,
      SLIPWAY_RUNTIME_GRACE_SECONDS: '60',
      DATABASE_URL: this.database.url,
      ...env,
    };
    const program = await Program.start(await freePort(), all, how);
    this.#programs.push(program);
    return program;
  }

  get agent(): number | undefined {
    return actingAgent(this.#runtime);
  }

  /** Each instance with the process that it runs as: the same ones mean that nothing was started again. */
  instances(): readonly string[] {
    const directory = join(this.#runtime, 'instances');
    if (!existsSync(directory)) return [];
    return readdirSync(directory)
      .toSorted()
      .map((instance) => `${instance} ${readFileSync(join(directory, instance, 'process.json'), 'utf8')}`);
  }

  agentLog(): string {
    return readFileSync(join(this.#runtime, 'agent.log'), 'utf8');
  }

  /** The agent's processes, the networks they are in, and what of the machine bears their instances' names. */
  traces(): Traces {
    const pids = this.agent === undefined ? [] : descendants(this.agent).map(({ pid }) => pid);
    const own = networkOf(process.pid);
    const networks = new Set(pids.map(networkOf).filter((network) => network !== '' && network !== own));
    const latestTicks = Math.max(...readProcesses().map(({ startTicks }) => startTicks));
    return { pids, networks, latestTicks, names: this.instances().map((line) => line.split(' ')[0] ?? '') };
  }

  async rows<Row extends object>(sql: string): Promise<Row[]> {
    return (await this.database.pool.query<Row>(sql)).rows;
  }

  async close(): Promise<void> {
    await Promise.all(this.#programs.map((program) => program.end('SIGKILL')));
    killAgent(this.#runtime);
    await this.database.drop();
    await removeData(this.dataDir);
  }

  get #runtime(): string {
    return join(this.dataDir, 'runtime');
  }
}

export interface Traces {
  readonly pids: readonly number[];
  readonly networks: ReadonlySet<string>;
  /** When the youngest process of the machine began: a network's number is given again, to networks of processes that begin later. */
  readonly latestTicks: number;
  readonly names: readonly string[];
}

/** Returns the traces that still exist. */
export const leftOf = ({ latestTicks, names, networks, pids }: Traces): readonly string[] => {
  const table = readProcesses();
  const older = table.filter(({ startTicks }) => startTicks <= latestTicks);
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  const groups = cgroupMounts().flatMap(({ path }) => groupsBelow(path, 3));
  return [
    ...table.filter(({ pid }) => pids.includes(pid)).map(({ pid }) => `process ${pid}`),
    ...older.filter(({ pid }) => networks.has(networkOf(pid))).map(({ pid }) => `network of process ${pid}`),
    ...mounts.filter((line) => names.some((name) => line.includes(name))).map((line) => `mount ${line}`),
    ...groups.filter((path) => names.some((name) => path.endsWith(`/${name}`))).map((path) => `control group ${path}`),
  ];
};

const networkOf = (pid: number): string => {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return '';
  }
};

const groupsBelow = (path: string, depth: number): readonly string[] => {
  try {
    const below = readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const paths = below.map(({ name }) => join(path, name));
    return depth === 0 ? paths : [...paths, ...paths.flatMap((entry) => groupsBelow(entry, depth - 1))];
  } catch {
    // Gone meanwhile.
    return [];
  }
};
