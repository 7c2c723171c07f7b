/**
 * The node agent as a child of its server: started early, told its configuration when the server knows it, started again when it ends
 * by itself. Its standard input is the lifeline: it closes with the server, however that ends.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { compileCacheEnv } from '#kernel/compile-cache.ts';
import type { Log } from '#ports/log.ts';
import { RestartBackoff } from '../restart-backoff.ts';
import type { AgentConfig } from './agent-config.ts';

export interface AgentProcessOptions {
  /** The agent's program. */
  readonly entry: string;
  readonly socket: string;
  readonly log: Log;
}

const BACKOFF = { firstRestartMs: 50, backoffMs: 1000, backoffMaxMs: 15_000, backoffResetMs: 60_000 };
/** For an agent that has nothing left to do. */
const END_MS = 5000;
/** What the agent needs of the server's environment; the rest may hold secrets, and instances descend from the agent. */
const INHERITED = ['PATH', 'TMPDIR', 'TZ', 'NODE_EXTRA_CA_CERTS', 'NODE_USE_ENV_PROXY', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'];

export class AgentProcess {
  readonly socket: string;
  readonly #options: AgentProcessOptions;
  readonly #backoff = new RestartBackoff(BACKOFF);
  readonly #closing = new AbortController();
  #child: ChildProcess | undefined;
  #config: AgentConfig | undefined;

  constructor(options: AgentProcessOptions) {
    this.#options = options;
    this.socket = options.socket;
  }

  /** At once, when the server begins: its modules load while the server still finds out what to tell it. */
  start(): void {
    this.#spawn();
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  configure(config: AgentConfig): void {
    this.#config = config;
    this.#tell();
  }

  /** Another one starts in its place. */
  kill(): void {
    this.#child?.kill('SIGKILL');
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const child = this.#child;
    if (!child) return;
    const ended = once(child, 'exit');
    child.stdin?.end();
    const patience = new AbortController();
    const late = delay(END_MS, 'late', patience).catch(() => undefined);
    if ((await Promise.race([ended, late])) === 'late') child.kill('SIGKILL');
    patience.abort();
    await ended;
  }

  #spawn(): void {
    // Another server's agent that stands still would take our calls and answer none.
    rmSync(this.socket, { force: true });
    const startedAt = performance.now();
    const inherited = INHERITED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]] as const]));
    const env = { ...Object.fromEntries(inherited), ...compileCacheEnv() };
    // A group of its own: Ctrl-C in the terminal reaches the server alone, which stops everything in order.
    const child = spawn(process.execPath, [this.#options.entry], { cwd: '/', env, detached: true, stdio: ['pipe', 'ignore', 'inherit'] });
    this.#child = child;
    child.stdin?.on('error', () => {});
    const ended = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
    });
    void ended.then((how) => this.#ended(how, performance.now() - startedAt));
    if (this.#config) this.#tell();
  }

  #tell(): void {
    this.#child?.stdin?.write(`${JSON.stringify(this.#config)}\n`);
  }

  async #ended(how: string, ranMs: number): Promise<void> {
    this.#child = undefined;
    if (this.#closing.signal.aborted) return;
    const waitMs = this.#backoff.next(ranMs);
    this.#options.log.error({ how, waitMs }, 'The node agent has ended, and with it all instances and the edge: it starts again');
    await delay(waitMs, undefined, { signal: this.#closing.signal }).catch(() => undefined);
    if (!this.#closing.signal.aborted) this.#spawn();
  }
}
