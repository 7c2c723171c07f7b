/**
 * The node agent as its server starts and ends it. It outlives the server, so it is no child that is kept: it is found by its socket and
 * its lock, and started where nobody acts. Its standard input ends it with its starter until a server has taken it.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { connect } from 'node:net';
import { compileCacheEnv } from '#kernel/compile-cache.ts';
import type { Log } from '#ports/log.ts';
import { RestartBackoff } from '../instance/restart-backoff.ts';
import type { AgentConfig } from './agent-config.ts';
import { actingAgent, agentEnded, killAgent } from './agent-lock.ts';
import { followAgentLog, openAgentLog } from './agent-log.ts';
import { callSocket } from './socket-call.ts';
import { END_PATH } from './wire.ts';

export interface AgentProcessOptions {
  /** The agent's program. */
  readonly entry: string;
  /** The runtime's. */
  readonly dataDir: string;
  readonly socket: string;
  readonly log: Log;
  /** Where the agent's own log goes besides its file, while this server drives it. */
  readonly passLog?: (text: Uint8Array) => void;
}

const BACKOFF = { firstRestartMs: 50, backoffMs: 1000, backoffMaxMs: 15_000, backoffResetMs: 60_000 };
/** For an agent that has nothing left to do. */
const END_MS = 5000;
/** For one that has services to stop. */
const STOP_MS = 20_000;
/** What the agent needs of the server's environment; the rest may hold secrets, and instances descend from the agent. */
const INHERITED = ['PATH', 'TMPDIR', 'TZ', 'NODE_EXTRA_CA_CERTS', 'NODE_USE_ENV_PROXY', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'];

export class AgentProcess {
  readonly #options: AgentProcessOptions;
  readonly #backoff = new RestartBackoff(BACKOFF);
  #child: ChildProcess | undefined;
  #config: AgentConfig | undefined;
  #notBefore = 0;
  #stopFollowing: (() => void) | undefined;

  constructor(options: AgentProcessOptions) {
    this.#options = options;
  }

  get socket(): string {
    return this.#options.socket;
  }

  /** Of the agent that acts, whoever started it. */
  get pid(): number | undefined {
    return actingAgent(this.#options.dataDir);
  }

  get config(): AgentConfig {
    if (!this.#config) throw new Error('The node agent was taken before it had a configuration');
    return this.#config;
  }

  configure(config: AgentConfig): void {
    this.#config = config;
  }

  /** At once, when the server begins: its modules load while the server still finds out what to hand over. Not where one listens already. */
  start(): void {
    const asking = connect(this.socket);
    asking.once('connect', () => asking.destroy());
    asking.once('error', () => this.ensure());
  }

  /** Called again and again for as long as nobody listens. */
  ensure(): void {
    if (this.#child || performance.now() < this.#notBefore) return;
    const { dataDir, entry, log, socket } = this.#options;
    const startedAt = performance.now();
    const inherited = INHERITED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]] as const]));
    const env = { ...Object.fromEntries(inherited), ...compileCacheEnv() };
    const file = openAgentLog(dataDir);
    // A session of its own: Ctrl-C in the terminal reaches the server alone, which stops everything in order.
    const child = spawn(process.execPath, [entry, dataDir, socket], { cwd: '/', env, detached: true, stdio: ['pipe', 'ignore', file] });
    closeSync(file);
    this.#child = child;
    child.unref();
    child.stdin?.on('error', () => {});
    const ended = (how: string): void => {
      this.#child = undefined;
      this.#notBefore = performance.now() + this.#backoff.next(performance.now() - startedAt);
      log.debug({ how }, 'A node agent has ended');
    };
    child.once('error', (error) => ended(error.message));
    child.once('exit', (code, signal) => ended(signal ?? `exit code ${code}`));
  }

  /** While this server drives it. */
  follow(): void {
    const { dataDir, passLog } = this.#options;
    if (passLog) this.#stopFollowing ??= followAgentLog(dataDir, passLog);
  }

  unfollow(): void {
    this.#stopFollowing?.();
    this.#stopFollowing = undefined;
  }

  /** With all that it runs, without further ado. */
  kill(): void {
    killAgent(this.#options.dataDir);
    // Where the system does not say who acts, or before it does.
    this.#child?.kill('SIGKILL');
  }

  /** One that cannot be used stops what it runs, in order, and ends; another server's is left alone. */
  async replace(): Promise<void> {
    const { dataDir, log, socket } = this.#options;
    log.warn({}, 'The node agent is of another version or configuration: it is ended with its services, and another one starts');
    const ending = callSocket(socket, { method: 'POST', path: END_PATH, body: '{}', signal: AbortSignal.timeout(STOP_MS) });
    // Mostly it is gone before it has answered.
    const answer = await ending.catch(() => undefined);
    answer?.resume();
    if (answer?.statusCode === 409) return;
    if (!(await agentEnded(dataDir, END_MS))) this.kill();
  }

  /** Resolves when the agent that had let go of everything is gone. */
  async ended(): Promise<void> {
    const { dataDir } = this.#options;
    if (await agentEnded(dataDir, END_MS)) return;
    this.kill();
    await agentEnded(dataDir, END_MS);
  }

  /** Ends one that was started, and that no server has taken. */
  close(): void {
    this.unfollow();
    this.#child?.stdin?.destroy();
  }

  /** After a start that failed: nothing stays of an agent that this server started, and that had nothing to run. */
  async abandon(): Promise<void> {
    this.#notBefore = Number.POSITIVE_INFINITY;
    const child = this.#child;
    this.close();
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    child.once('exit', () => resolve());
    const late = setTimeout(() => child.kill('SIGKILL'), END_MS);
    await ended;
    clearTimeout(late);
  }
}
