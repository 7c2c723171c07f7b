/**
 * Starts and ends the node agent for a server. The agent outlives the server, so it is found by its socket and lock rather than as a child,
 * and started if none is active. Until a server has taken it, the agent exits when its starter closes its standard input.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { compileCacheEnv } from '@slipway/foundation/compile-cache.ts';
import type { Log } from '@slipway/foundation/ports/log.ts';
import { RestartBackoff } from '../instance/restart-backoff.ts';
import type { AgentConfig } from './agent-config.ts';
import { actingAgent, agentEnded, killAgent } from './agent-lock.ts';
import { followAgentLog, openAgentLog } from './agent-log.ts';
import { callSocket } from './socket-call.ts';
import { END_PATH } from './wire.ts';

/** The file that Node runs. */
export const agentProgram = fileURLToPath(new URL('../../start-agent.ts', import.meta.url));

export interface AgentProcessOptions {
  /** The agent's program file. */
  readonly entry: string;
  /** The runtime's data directory. */
  readonly dataDir: string;
  readonly socket: string;
  readonly log: Log;
  /** Receives the agent's log in addition to the file, while this server drives the agent. */
  readonly passLog?: (text: Uint8Array) => void;
}

const BACKOFF = { firstRestartMs: 50, backoffMs: 1000, backoffMaxMs: 15_000, backoffResetMs: 60_000 };
/** Time limit for an agent without running services to exit. */
const END_MS = 5000;
/** Time limit for an agent to stop its services and exit. */
const STOP_MS = 20_000;
/** Environment variables that the agent inherits. The rest may hold secrets, and instances descend from the agent. */
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

  /** Pid of the active agent, whoever started it. */
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

  /**
   * Starts the agent early, so its modules load while the server still prepares its configuration. Does nothing if an agent already
   * listens.
   */
  start(): void {
    const asking = connect(this.socket);
    asking.once('connect', () => asking.destroy());
    asking.once('error', () => this.ensure());
  }

  /** Starts the agent unless its process runs or must back off. Called repeatedly while no agent listens. */
  ensure(): void {
    if (this.#child || performance.now() < this.#notBefore) return;
    const { dataDir, entry, log, socket } = this.#options;
    const startedAt = performance.now();
    const inherited = INHERITED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]] as const]));
    const env = { ...Object.fromEntries(inherited), ...compileCacheEnv() };
    const file = openAgentLog(dataDir);
    // Detached into its own session: Ctrl-C in the terminal reaches only the server, which stops everything in order.
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

  /** Passes on the agent's log while this server drives it. */
  follow(): void {
    const { dataDir, passLog } = this.#options;
    if (passLog) this.#stopFollowing ??= followAgentLog(dataDir, passLog);
  }

  unfollow(): void {
    this.#stopFollowing?.();
    this.#stopFollowing = undefined;
  }

  /** Kills the agent immediately, with everything it runs. */
  kill(): void {
    killAgent(this.#options.dataDir);
    // Covers systems that cannot report the active agent, and an agent that has not registered yet.
    this.#child?.kill('SIGKILL');
  }

  /** Asks an unusable agent to stop its services and exit. Leaves an agent alone that another server drives. */
  async replace(): Promise<void> {
    const { dataDir, log, socket } = this.#options;
    log.warn({}, 'The node agent is of another version or configuration: it is ended with its services, and another one starts');
    const ending = callSocket(socket, { method: 'POST', path: END_PATH, body: '{}', signal: AbortSignal.timeout(STOP_MS) });
    // Usually the agent is gone before it responds.
    const answer = await ending.catch(() => undefined);
    answer?.resume();
    if (answer?.statusCode === 409) return;
    if (!(await agentEnded(dataDir, END_MS))) this.kill();
  }

  /** Resolves when the agent has exited after stopping everything. Kills it if it takes too long. */
  async ended(): Promise<void> {
    const { dataDir } = this.#options;
    if (await agentEnded(dataDir, END_MS)) return;
    this.kill();
    await agentEnded(dataDir, END_MS);
  }

  /** Ends an agent that was started but never taken by a server. */
  close(): void {
    this.unfollow();
    this.#child?.stdin?.destroy();
  }

  /** Cleans up after a failed start: ends the agent that this server started, which has nothing to run. */
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
