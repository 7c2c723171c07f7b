/** A platform for the outages: so many replicas as a service manager runs them, on a PostgreSQL of their own or the embedded one. */
import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { applicationList } from '@slipway/contract/application.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { serviceDeploy, serviceTagList } from '@slipway/contract/service/service.ts';
import { teamCreate } from '@slipway/contract/team.ts';
import { createClient } from '../../engines/postgres/src/connections.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../engines/postgres/src/embedded-postgres.ts';
import { Program, removeData, untilServed } from '../../packages/server/src/testing/program.ts';

export const app = 'bench-app';
const basePort = Number(process.env['BENCH_PORT'] ?? 4700);
export const ingressPort = basePort + 80;
const params = { app, env: 'development', service: app };
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const retryMs = 50;

export interface Recovery {
  readonly readSeconds: number;
  readonly writeSeconds: number;
  readonly deploySeconds: number;
}

export class Scene {
  readonly #base = mkdtempSync(join(tmpdir(), 'slipway-bench-outages-'));
  readonly #replicas = new Map<number, Program>();
  #postgres: EmbeddedPostgres | undefined;
  #teams = 0;

  static async open({ replicas, isExternal }: { replicas: number; isExternal: boolean }): Promise<Scene> {
    const scene = new Scene();
    // The database runs as another user.
    chmodSync(scene.#base, 0o711);
    if (isExternal) await scene.startPostgres();
    const ports = Array.from({ length: replicas }, (_, index) => basePort + index);
    await Promise.all(ports.map((port) => scene.start(port)));
    const [first] = scene.#replicas.values();
    if (!first) throw new Error('There is no replica');
    await first.makeTeam();
    const run = await first.ended(await first.quickstart(app));
    if (run.status.state !== 'COMPLETED') throw new Error(`The quickstart ended ${run.status.state}: ${run.statusMessage}`);
    await untilServed(ingressPort, app);
    return scene;
  }

  get ports(): readonly number[] {
    return [...this.#replicas.keys()];
  }

  async startPostgres(): Promise<void> {
    this.#postgres = await startEmbeddedPostgres({ dataDir: this.#database, log: silent });
  }

  async stopPostgres(): Promise<void> {
    await this.#postgres?.stop();
    this.#postgres = undefined;
  }

  killPostmaster(): void {
    const file = join(realpathSync(join(this.#dataDir, 'pg')), 'cluster/postmaster.pid');
    process.kill(Number(readFileSync(file, 'utf8').split('\n')[0]), 'SIGKILL');
  }

  async start(port: number, entry?: string): Promise<void> {
    const environment = {
      SLIPWAY_PUBLIC_URL: `http://localhost:${basePort}`,
      SLIPWAY_INGRESS_PORT: String(ingressPort),
      SLIPWAY_DATA: this.#dataDir,
      SLIPWAY_LOG_LEVEL: 'error',
      SLIPWAY_MODE: 'production',
      SLIPWAY_ALLOW_FILE_KEYS: 'yes',
      SLIPWAY_ALLOW_HOST_RUNTIME: 'yes',
      SLIPWAY_LOCAL_USERS: 'password',
      SLIPWAY_RUNTIME_GRACE_SECONDS: '120',
      ...(this.#postgres && { DATABASE_URL: urlOf(this.#postgres) }),
    };
    this.#replicas.set(port, await Program.start(port, environment, entry));
  }

  async end(port: number, signal: NodeJS.Signals): Promise<void> {
    await this.#replicas.get(port)?.end(signal);
    this.#replicas.delete(port);
  }

  /** The port of the replica that drives the runtime. */
  async leader(): Promise<number> {
    if (!this.#postgres) throw new Error('The embedded database is its server’s own');
    const client = createClient(this.#postgres.connection);
    try {
      await client.connect();
      const { rows } = await client.query<{ replica: string }>('select replica from runtime_holder');
      const port = Number(rows[0]?.replica.split(':').at(-1));
      if (!this.#replicas.has(port)) throw new Error(`Nobody drives the runtime: ${rows[0]?.replica}`);
      return port;
    } finally {
      await client.end();
    }
  }

  /** Seconds from now until a read, a write and a deploy have worked, each asked again and again. */
  async recovery(): Promise<Recovery> {
    const startedAt = performance.now();
    const seconds = (): number => (performance.now() - startedAt) / 1000;
    await this.#persistently(applicationList);
    const readSeconds = seconds();
    this.#teams += 1;
    const team = { id: `bench-${this.#teams}`, displayName: `Bench ${this.#teams}`, ownerIds: ['platform-automation'] };
    await this.#persistently(teamCreate, { body: team });
    const writeSeconds = seconds();
    await this.#deploy();
    return { readSeconds, writeSeconds, deploySeconds: seconds() };
  }

  async close(): Promise<void> {
    await Promise.all(this.ports.map((port) => this.end(port, 'SIGINT')));
    await this.stopPostgres();
    for (const directory of [this.#dataDir, this.#database]) await removeData(directory);
    rmSync(this.#base, { recursive: true, force: true });
  }

  async #deploy(): Promise<void> {
    const [newest] = (await this.#persistently(serviceTagList, { params })) as { tag: string }[];
    const { pipelineId } = (await this.#persistently(serviceDeploy, { params, body: { imageTag: newest?.tag } })) as PipelineRun;
    for (;;) {
      const ended = await Promise.any([...this.#replicas.values()].map((replica) => replica.ended(pipelineId))).catch(() => undefined);
      if (ended?.status.state === 'COMPLETED') return;
      if (ended) throw new Error(`The deploy ended ${ended.status.state}: ${ended.statusMessage}`);
      await delay(retryMs);
    }
  }

  /** As through a load balancer: at whichever replica answers. */
  async #persistently(route: RouteShape, options: Parameters<Program['call']>[1] = {}): Promise<unknown> {
    for (;;) {
      for (const replica of this.#replicas.values()) {
        const answer = await replica.call(route, options).catch((error: Error) => error);
        if (!(answer instanceof Error)) return answer;
        if (/ answered 4/.test(answer.message)) throw answer;
      }
      await delay(retryMs);
    }
  }

  get #dataDir(): string {
    return join(this.#base, 'data');
  }

  get #database(): string {
    return join(this.#base, 'postgres');
  }
}

const urlOf = ({ connection: { database, host, password, user } }: EmbeddedPostgres): string =>
  `postgresql://${user}:${password}@localhost/${database}?host=${encodeURIComponent(host)}`;
