/**
 * Controls which server drives the agent: one at a time, while it listens to the agent's events. Without a server, everything keeps running
 * for the grace period. Then the agent stops everything and exits (docs/decisions/0024).
 */
import type { ServerResponse } from 'node:http';
import { PortFailure } from '@slipway/foundation/ports/failure.ts';
import type { Log } from '@slipway/foundation/ports/log.ts';
import type { Runtime } from '@slipway/foundation/ports/runtime.ts';
import { frameOf, type AgentConfig } from './agent-config.ts';
import { EventFeed } from './event-feed.ts';
import { PROTOCOL, type Refusal, type Taking, type Verb } from './wire.ts';

export interface OpenRuntime {
  readonly runtime: Runtime;
  /** Applies the keys and addresses of the server that took over. */
  configure(config: AgentConfig): Promise<void>;
}
export interface AgentHostOptions {
  /** Called for the first server. Later servers get the same runtime. */
  readonly open: (config: AgentConfig) => Promise<OpenRuntime>;
  /** False if the program's files are gone, so the agent can no longer start anything. */
  readonly isWhole?: () => boolean;
  /** Called after everything has stopped. */
  readonly onEnded: () => void;
  readonly log: Log;
}
type Call = (...input: readonly unknown[]) => Promise<unknown>;

export class AgentHost {
  readonly feed = new EventFeed();
  readonly #options: AgentHostOptions;
  #opened: (OpenRuntime & { readonly frame: string }) | undefined;
  #server: string | undefined;
  #stream: ServerResponse | undefined;
  #graceMs = 0;
  #grace: NodeJS.Timeout | undefined;
  #isHeld = false;
  #ending: Promise<void> | undefined;
  /** Serializes takeovers with acquiring and releasing the runtime. */
  #changing: Promise<unknown> = Promise.resolve();

  constructor(options: AgentHostOptions) {
    this.#options = options;
  }

  /** False until a server has driven the agent. From then on the agent no longer depends on its starter. */
  get wasTaken(): boolean {
    return this.#opened !== undefined;
  }

  async take(taking: Taking, stream: ServerResponse): Promise<void> {
    return this.#inTurn(() => this.#take(taking, stream));
  }

  async call(server: string, verb: Verb, input: readonly unknown[]): Promise<unknown> {
    const opened = this.#opened;
    if (!opened || this.#server !== server) throw new PortFailure('unavailable', 'Another server drives the node agent.');
    const act = (): Promise<unknown> => (opened.runtime[verb] as Call).apply(opened.runtime, [...input]);
    if (verb === 'acquire') {
      return this.#inTurn(async () => {
        const acquired = await act();
        this.#isHeld = true;
        return acquired;
      });
    }
    if (verb !== 'release') return act();
    // Set before the release: if the server disconnects meanwhile, the agent ends without a grace period.
    this.#isHeld = false;
    return this.#inTurn(act);
  }

  /** Ends the agent on behalf of `server`. Rejected while another server drives it. */
  async end(server?: string): Promise<void> {
    if (this.#server !== undefined && this.#server !== server) throw refusal('AgentDriven', 'Another server drives the node agent.');
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    clearTimeout(this.#grace);
    this.#isHeld = false;
    try {
      await this.#inTurn(async () => this.#opened?.runtime.release());
    } catch (error) {
      // Anything that did not stop ends with this process.
      this.#options.log.error({ err: error }, 'The node agent could not stop all that it runs');
    }
    this.#options.onEnded();
  }

  async #take({ config, heard, protocol, server }: Taking, stream: ServerResponse): Promise<void> {
    if (protocol !== PROTOCOL) throw refusal('AgentOtherProtocol', `The node agent speaks protocol ${PROTOCOL}, not ${protocol}.`);
    if (this.#ending) throw refusal('AgentEnding', 'The node agent is ending.');
    if (this.#server !== undefined && this.#server !== server) throw refusal('AgentDriven', 'Another server drives the node agent.');
    const frame = frameOf(config);
    if (this.#opened && this.#opened.frame !== frame)
      throw refusal('AgentOtherFrame', 'The node agent runs services for another configuration.');
    if (this.#options.isWhole?.() === false) throw refusal('AgentOtherFrame', 'The files of the node agent’s program are gone.');
    if (this.#opened) await this.#opened.configure(config);
    else await this.#open(config, frame);
    // The server disconnected, or the grace period ended meanwhile.
    if (stream.destroyed || this.#ending) return void stream.destroy();
    clearTimeout(this.#grace);
    this.#graceMs = config.graceMs;
    this.#server = server;
    this.#stream = stream;
    stream.once('close', () => this.#left(stream));
    this.feed.open(stream, heard);
  }

  async #open(config: AgentConfig, frame: string): Promise<void> {
    const opened = await this.#options.open(config);
    opened.runtime.onEvent((event) => this.feed.push(event));
    this.#opened = { ...opened, frame };
  }

  #left(stream: ServerResponse): void {
    if (this.#stream !== stream) return;
    this.#server = undefined;
    this.#stream = undefined;
    const graceMs = this.#isHeld ? this.#graceMs : 0;
    if (graceMs > 0) this.#options.log.warn({ graceMs }, 'The server is gone: services run on until another one takes them over');
    this.#grace = setTimeout(() => {
      if (graceMs > 0) this.#options.log.warn({ graceMs }, 'No server came: the node agent ends, and all services with it');
      void this.end();
    }, graceMs).unref();
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#changing.then(work);
    this.#changing = turn.catch(() => undefined);
    return turn;
  }
}

const refusal = (code: Refusal, message: string): PortFailure => new PortFailure('conflict', message, { code });
