/** The program under the storm: started, killed, found in the process table, looked at in its database. Needs Linux's /proc. */
import { readFileSync, readdirSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { readProcess, readProcesses } from '@slipway/runtime/sandbox/process-tree.ts';
import { Program } from '../program.ts';
import { brokerPid } from '../streaming/broker-state.ts';

const START_MS = 120_000;
const ASK_MS = 5000;

export interface StormPlace {
  /** The platform's data directory. */
  readonly dataDir: string;
  /** Directory of the journal and the logs. */
  readonly workDir: string;
  readonly port: number;
  readonly ingressPort: number;
  /** Ports of the embedded broker, in development and in production. */
  readonly kafkaPorts: readonly [number, number];
  /** Prefix of the names of all apps. No other names on this machine have this prefix. */
  readonly prefix: string;
}

export const pidOfFile = (file: string): number => Number.parseInt(readFileSync(file, 'utf8'), 10);
const environmentOf = (pid: number): string[] => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return [];
  }
};
export const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
};
const hasOpen = (pid: number, directory: string): boolean => {
  const descriptors = `/proc/${pid}/fd`;
  /** Undefined where it was closed, or the process ended, in between. */
  const attempt = <T>(look: () => T): T | undefined => {
    try {
      return look();
    } catch {
      return undefined;
    }
  };
  const names = attempt(() => readdirSync(descriptors)) ?? [];
  return names.some((name) => attempt(() => readlinkSync(`${descriptors}/${name}`))?.startsWith(directory));
};

/** Resolves with what the condition answers as soon as it is no list of complaints; with the last ones after the deadline. */
export const until = async (condition: () => Promise<string[]>, deadlineMs: number): Promise<string[]> => {
  const deadline = Date.now() + deadlineMs;
  for (;;) {
    const complaints = await condition().catch((error: unknown) => [`could not be looked at: ${String(error)}`]);
    if (complaints.length === 0 || Date.now() > deadline) return complaints;
    await delay(100);
  }
};

export class StormedPlatform {
  readonly place: StormPlace;
  readonly url: string;
  #program: Program | undefined;
  #database: pg.Pool | undefined;
  #starts = 0;
  /** It was asked to end, or killed: its end is expected. */
  #isEndWanted = true;

  constructor(place: StormPlace) {
    this.place = place;
    this.url = `http://127.0.0.1:${place.port}`;
  }

  /** Throws with what it printed when it ends instead, or is not ready in time. */
  async start(): Promise<void> {
    const { dataDir, port, ingressPort, kafkaPorts } = this.place;
    const late = new AbortController();
    const level = process.env['SLIPWAY_LOG_LEVEL'] ?? 'warn';
    const environment = {
      SLIPWAY_DATA: dataDir,
      SLIPWAY_INGRESS_PORT: String(ingressPort),
      SLIPWAY_KAFKA_PORT_DEVELOPMENT: String(kafkaPorts[0]),
      SLIPWAY_KAFKA_PORT_PRODUCTION: String(kafkaPorts[1]),
      SLIPWAY_LOG_LEVEL: level,
    };
    const started = Program.start(port, environment);
    const timer = delay(START_MS, undefined, { signal: late.signal }).then(() => {
      throw new Error(`The program was not ready after ${START_MS / 1000} s`);
    });
    try {
      this.#program = await Promise.race([started, timer]);
    } finally {
      late.abort();
      timer.catch(() => undefined);
    }
    this.#starts += 1;
    this.#isEndWanted = false;
  }

  get program(): Program {
    if (!this.#program) throw new Error('The program was not started');
    return this.#program;
  }

  /** Changes with each start. */
  get life(): number {
    return this.#starts;
  }

  get hasEndedByItself(): boolean {
    const { exitCode, signalCode } = this.program.child;
    return !this.#isEndWanted && (exitCode !== null || signalCode !== null);
  }

  async end(signal: 'SIGKILL' | 'SIGINT'): Promise<void> {
    this.#isEndWanted = true;
    await this.program.end(signal);
    writeFileSync(join(this.place.workDir, `server-${this.#starts}.log`), this.program.output);
  }

  /** `pg` is the platform's own PostgreSQL, `databases/pg` that of the apps' databases. */
  postmasterOf(directory: 'pg' | 'databases/pg'): number {
    return pidOfFile(join(this.place.dataDir, directory, 'cluster/postmaster.pid'));
  }

  /** Finds the agents by the lock that they hold, because a later server may not be their parent. */
  get agents(): number[] {
    const directory = join(realpathSync(this.place.dataDir), 'runtime/');
    return readProcesses().flatMap(({ pid }) => (commandOf(pid).startsWith('slipway-agent') && hasOpen(pid, directory) ? [pid] : []));
  }

  /** None while it is just starting again. */
  get brokers(): number[] {
    return [brokerPid(this.place.dataDir) ?? []].flat();
  }

  /** The outermost process of each instance, by what the platform wrote into its environment. */
  instances(): { readonly pid: number; readonly revision: string; readonly service: string }[] {
    const table = new Map(
      readProcesses().flatMap(({ pid, parent }) => {
        const variables = environmentOf(pid);
        const valueOf = (name: string): string => variables.find((text) => text.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
        if (!valueOf('SLIPWAY_SERVICE').startsWith(this.place.prefix)) return [];
        return [[pid, { pid, parent, revision: valueOf('SLIPWAY_REVISION'), service: valueOf('SLIPWAY_SERVICE') }] as const];
      }),
    );
    return [...table.values()].filter(({ parent }) => !table.has(parent));
  }

  async rows<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.database.query<Row>(text, values)).rows;
  }
  get database(): pg.Pool {
    this.#database ??= this.#connect();
    return this.#database;
  }

  /** Before each kill: the next look is by new sessions, at wherever the database is then. */
  async disconnect(): Promise<void> {
    const database = this.#database;
    this.#database = undefined;
    await database?.end().catch(() => undefined);
  }

  #connect(): pg.Pool {
    const { dataDir } = this.place;
    const [, , , , host] = readFileSync(join(dataDir, 'pg/cluster/postmaster.pid'), 'utf8').split('\n');
    const password = readFileSync(join(dataDir, 'pg.password'), 'utf8').trim();
    const pool = new pg.Pool({ host, user: 'platform', password, database: 'slipway', max: 1 });
    // What goes wrong fails the query that meets it.
    pool.on('error', () => undefined);
    return pool;
  }

  async isReady(): Promise<boolean> {
    const answer = await fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(ASK_MS) }).catch(() => undefined);
    await answer?.arrayBuffer().catch(() => undefined);
    return answer?.status === 200;
  }

  /** Returns the status that a service answers through the edge, or 0 without an answer. */
  ask(app: string): Promise<number> {
    const { ingressPort } = this.place;
    const headers = { host: `${app}.${app}.development.localhost:${ingressPort}`, connection: 'close' };
    return new Promise((answered) => {
      const request = http.get({ host: '127.0.0.1', port: ingressPort, path: '/healthz', headers, timeout: ASK_MS }, (answer) => {
        answer.resume();
        answered(answer.statusCode ?? 0);
      });
      request.on('timeout', () => request.destroy()).on('error', () => answered(0));
    });
  }
}

export const isAlive = (pid: number): boolean => readProcess(pid) !== undefined;
