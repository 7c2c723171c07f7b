/**
 * The broker that ships with Slipway: a separate program with one listener per environment. It starts when it is first needed, and from
 * then on with the platform. Replicas on one machine share it: one of them runs it.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { tryLockFile, type DirectoryLock } from '#db/directory-lock.ts';
import { keepRunning, type ProcessKeeper } from '#kernel/engines/keep-running.ts';
import { TakeOver } from '#kernel/engines/take-over.ts';
import { PortFailure } from '#ports/failure.ts';
import type { Log } from '#ports/log.ts';
import type { BrokerAddress, StreamingConnection, StreamingEnvironment } from '#ports/streaming.ts';
import { isBrokerThere, prepareBrokerDirectory } from './broker-directory.ts';
import { launchBroker, reachedAt } from './broker-process.ts';

export interface EmbeddedBrokerOptions {
  /** `streaming` in the data directory. */
  readonly dataDir: string;
  /** The broker's program, a file that Node runs. */
  readonly program: string;
  /** The address to listen on. */
  readonly host: string;
  readonly ports: Readonly<Record<StreamingEnvironment, number>>;
  /** The broker's address for clients. */
  readonly advertisedHost: string;
  /** Password of the platform's own user on the broker. The same for all replicas and across restarts. */
  readonly adminPassword: () => Promise<string>;
  /** Bytes of disk space to keep free. */
  readonly floorBytes?: number | undefined;
  /** How long a start waits for a previous broker that is shutting down. Shorter in tests. */
  readonly patienceMs?: number;
  readonly log: Log;
}

const ADMIN = 'slipway';
const MECHANISM = 'SCRAM-SHA-512';
const ENVIRONMENTS: readonly StreamingEnvironment[] = ['development', 'production'];
/** How long to wait while the broker restarts. */
const AGAIN_MS = 10_000;

interface OwnBroker {
  readonly keeper: ProcessKeeper;
  readonly lock: DirectoryLock;
}

export class EmbeddedBroker {
  readonly #options: EmbeddedBrokerOptions;
  #own: Promise<OwnBroker | undefined> | undefined;
  readonly #later: TakeOver;
  #password: Promise<string> | undefined;
  #isClosed = false;

  constructor(options: EmbeddedBrokerOptions) {
    this.#options = options;
    this.#later = new TakeOver(() => this.#takeOver(), options.log, 'The embedded broker cannot be taken over; trying again');
  }

  async connection(environment: StreamingEnvironment): Promise<StreamingConnection> {
    const { advertisedHost: host, ports } = this.#options;
    return { bootstrapServers: [{ host, port: ports[environment] }], securityProtocol: 'SASL_PLAINTEXT', mechanism: MECHANISM };
  }

  async access(environment: StreamingEnvironment) {
    if (this.#isClosed) throw unavailable('The platform is closing');
    const own = await this.#running();
    if (own) await Promise.race([own.keeper.up(), delay(AGAIN_MS, undefined, { ref: false })]);
    const brokers: readonly BrokerAddress[] = [{ host: reachedAt(this.#options.host), port: this.#options.ports[environment] }];
    return { brokers, mechanism: MECHANISM, user: ADMIN, password: await this.#adminPassword(), isSingleNode: true } as const;
  }

  isInUse(): boolean {
    return isBrokerThere(this.#options.dataDir);
  }

  /**
   * Starts the broker with the platform if there are existing topics, whose clients expect it. If another replica runs the broker, takes it
   * over when that replica ends.
   */
  async resume(): Promise<void> {
    this.#later.start();
    await this.#takeOver().catch((error: unknown) => this.#options.log.error({ err: error }, 'The embedded broker does not start'));
  }

  async #takeOver(): Promise<void> {
    if (this.isInUse() && !this.#isClosed) await this.#running();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#later.stop();
    const own = await this.#own?.catch(() => undefined);
    await own?.keeper.stop();
    own?.lock.release();
  }

  /** Returns undefined if another replica runs the broker. */
  async #running(): Promise<OwnBroker | undefined> {
    const asked = (this.#own ??= this.#start());
    try {
      const own = await asked;
      if (!own && this.#own === asked) this.#own = undefined;
      return own;
    } catch (error) {
      if (this.#own === asked) this.#own = undefined;
      throw unavailable(error instanceof Error ? error.message : String(error), error);
    }
  }

  async #start(): Promise<OwnBroker | undefined> {
    const { dataDir, program, host, ports, advertisedHost, floorBytes, patienceMs, log } = this.#options;
    const admin = { name: ADMIN, password: await this.#adminPassword() };
    fs.mkdirSync(dataDir, { recursive: true, mode: 0o711 });
    const lock = tryLockFile(path.join(dataDir, 'broker.lock'));
    if (!lock) return undefined;
    try {
      const directory = prepareBrokerDirectory(dataDir, [program, process.execPath]);
      const environments = ENVIRONMENTS.map((name) => ({ name, port: ports[name], advertisedHost }));
      const options = { host, environments, admin, ...(floorBytes === undefined ? {} : { floorBytes }) };
      const launch = () => launchBroker({ program, directory, options, patienceMs });
      const keeper = keepRunning(await launch(), launch, 'The embedded broker', log);
      // close() was called during the start.
      if (this.#isClosed) await keeper.stop();
      return { keeper, lock };
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  #adminPassword(): Promise<string> {
    this.#password ??= this.#options.adminPassword().catch((error: unknown) => {
      this.#password = undefined;
      throw error;
    });
    return this.#password;
  }
}

const unavailable = (message: string, cause?: unknown): PortFailure =>
  new PortFailure('unavailable', message, { context: { engine: 'Kafka cluster' }, cause });
