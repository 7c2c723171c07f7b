/**
 * A server's side of the socket to its node agent. The event stream continuously proves that the agent is alive: calls fail when the agent
 * hangs or exits, so no call needs its own deadline.
 */
import { randomUUID } from 'node:crypto';
import { once, setMaxListeners } from 'node:events';
import { Agent, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from '@slipway/foundation/caught.ts';
import { PortFailure, type PortFailureKind } from '@slipway/foundation/ports/failure.ts';
import type { InstanceEvent } from '@slipway/foundation/ports/runtime.ts';
import type { AgentConfig } from './agent-config.ts';
import { callSocket, textOf } from './socket-call.ts';
import {
  BEAT_MS,
  PROTOCOL,
  readEvent,
  SERVER_HEADER,
  TAKE_PATH,
  verbPath,
  type Answer,
  type Failure,
  type Taking,
  type AgentReport,
  type Verb,
  type VerbInput,
  type VerbOutput,
  type Wire,
} from './wire.ts';

export interface LinkOptions {
  readonly socket: string;
  /** Passed to the agent on each takeover. */
  readonly config: () => AgentConfig;
  /** Tests override it. */
  readonly protocol?: number;
  readonly onEvent: (event: InstanceEvent) => void;
  /** The agent exited or was replaced, and everything it ran is gone. */
  readonly onLost: () => void;
  /** Called repeatedly while no agent listens. */
  readonly onMissing?: () => void;
  /** The listening agent speaks another protocol or runs another configuration. */
  readonly onUnusable?: () => Promise<void>;
  /** The agent has hung for so long that it will not recover. */
  readonly onHung?: () => void;
  readonly timings?: Partial<LinkTimings>;
}
export interface LinkTimings {
  /** How long `acquire` waits for a starting agent. */
  readonly startMs: number;
  /** Without a heartbeat for this long, the agent counts as hung and calls end. */
  readonly silentMs: number;
  readonly hungMs: number;
}
const TIMINGS: LinkTimings = { startMs: 10_000, silentMs: 4000, hungMs: 30_000 };
/** More than the reconciler's parallel calls, so that other calls never wait for them. */
const MAX_CONNECTIONS = 256;
const FIRST_RETRY_MS = 10;
const RETRY_MS = 250;

export class AgentLink {
  readonly #options: LinkOptions;
  readonly #timings: LinkTimings;
  /** Identifies this server to the agent. */
  readonly #server = randomUUID();
  readonly #watching: NodeJS.Timeout;
  /** Set from `acquire` on: a replica that does not drive the runtime does not connect to an agent. */
  #following: { readonly ended: Promise<void>; readonly stop: AbortController } | undefined;
  /** Why the listening agent rejected the takeover. */
  #refusal: string | undefined;
  /** How long an agent has accepted connections without responding. */
  #muteMs = 0;
  #state: 'away' | 'here' | 'silent' = 'away';
  #here = Promise.withResolvers<void>();
  /** Keep-alive connections for calls, limited in number. Stop calls may occupy theirs until programs exit. */
  readonly #kept = new Agent({ keepAlive: true, maxSockets: MAX_CONNECTIONS, maxFreeSockets: 16 });
  /** Aborts pending calls. */
  #calls = new AbortController();
  /** Counts timer ticks instead of elapsed time: if this process itself is suspended, the agent misses no heartbeat. */
  #missedBeats = 0;
  #agent: string | undefined;
  #number = 0;
  /** Calls whose results wait for earlier events to arrive. */
  readonly #waiting: { readonly number: number; readonly heard: () => void }[] = [];

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#timings = { ...TIMINGS, ...options.timings };
    this.#watching = setInterval(() => this.#watch(), BEAT_MS).unref();
  }

  async call<Name extends Verb>(verb: Name, ...input: VerbInput<Name>): Promise<Wire<VerbOutput<Name>>> {
    if (verb === 'acquire') await this.#reachable();
    if (this.#state !== 'here') throw away(this.#whyAway());
    const { signal } = this.#calls;
    try {
      const body = JSON.stringify(input);
      const answer = await callSocket(this.#options.socket, {
        method: 'POST',
        path: verbPath(verb),
        body,
        headers: this.#headers,
        signal,
        agent: this.#kept,
      });
      const text = await textOf(answer);
      if (answer.statusCode !== 200) throw failure(JSON.parse(text) as Failure);
      const { events, output } = JSON.parse(text) as Answer<VerbOutput<Name>>;
      await this.#heard(events);
      return output;
    } catch (error) {
      if (error instanceof PortFailure || error instanceof AgentBroken) throw error;
      throw away(
        signal.aborted ? 'The node agent stands still, or is gone.' : 'The node agent broke off.',
        signal.aborted ? undefined : error,
      );
    }
  }

  get isAway(): boolean {
    return this.#state === 'away';
  }

  get isFollowing(): boolean {
    return this.#following !== undefined;
  }

  /** Stops following the agent, which keeps running for another server or on its own. Its events are kept. */
  async unfollow(): Promise<void> {
    const following = this.#following;
    this.#following = undefined;
    this.#agent = undefined;
    following?.stop.abort();
    this.#leave('away');
    await following?.ended;
  }

  async close(): Promise<void> {
    clearInterval(this.#watching);
    await this.unfollow();
    this.#kept.destroy();
  }

  get #headers(): Record<string, string> {
    return { [SERVER_HEADER]: this.#server };
  }

  #whyAway(): string {
    if (this.#state === 'silent' || this.#muteMs > 0) return 'The node agent stands still.';
    return this.#refusal ?? 'The node agent is starting.';
  }

  /** Waits on the first call, since the agent may still be starting. */
  async #reachable(): Promise<void> {
    if (!this.#following) {
      const stop = new AbortController();
      this.#following = { stop, ended: this.#follow(stop.signal) };
    }
    const { signal } = this.#following.stop;
    const waiting = new AbortController();
    const tooLong = delay(this.#timings.startMs, undefined, { signal: AbortSignal.any([signal, waiting.signal]) }).catch(() => undefined);
    await Promise.race([this.#here.promise, tooLong]);
    waiting.abort();
  }

  /** Waits for event `number`. Also resolves when the event stream has ended. */
  async #heard(number: number): Promise<void> {
    if (this.#number >= number || this.#state !== 'here') return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ number, heard: resolve });
    await promise;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    let waitMs = FIRST_RETRY_MS;
    while (!signal.aborted) {
      await this.#listen(signal).catch((error: unknown) => (signal.aborted ? undefined : this.#missed(error)));
      waitMs = this.#state === 'away' ? Math.min(waitMs * 2, RETRY_MS) : FIRST_RETRY_MS;
      if (this.#state !== 'away') this.#leave('away');
      await delay(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #listen(signal: AbortSignal): Promise<void> {
    const answer = await this.#open(signal);
    if (answer.statusCode !== 200) throw failure(JSON.parse(await textOf(answer)) as Failure);
    this.#refusal = undefined;
    const lines = createInterface({ input: answer });
    lines.on('line', (line) => this.#hear(JSON.parse(line) as AgentReport));
    answer.on('error', () => lines.close());
    await once(lines, 'close');
  }

  /** Opens the event stream. Gives up on an agent that accepts the connection but does not respond, since another may listen by now. */
  async #open(signal: AbortSignal): Promise<IncomingMessage> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Mute()), this.#timings.silentMs);
    const heard = this.#agent === undefined ? undefined : { agent: this.#agent, number: this.#number };
    const { config, protocol = PROTOCOL } = this.#options;
    const taking: Taking = { protocol, server: this.#server, heard, config: config() };
    const any = AbortSignal.any([signal, late.signal]);
    try {
      return await callSocket(this.#options.socket, { method: 'POST', path: TAKE_PATH, body: JSON.stringify(taking), signal: any });
    } catch (error) {
      throw late.signal.aborted ? new Mute() : error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Handles a failure to open the stream: no agent listens, it does not respond, or it refuses. */
  async #missed(error: unknown): Promise<void> {
    if (error instanceof Mute) {
      this.#muteMs += this.#timings.silentMs;
      // An agent that never responded gets only the start timeout.
      const { hungMs, startMs } = this.#timings;
      if (this.#muteMs >= (this.#agent === undefined ? Math.min(hungMs, startMs) : hungMs)) this.#options.onHung?.();
      return;
    }
    const code = errorCode(error);
    if (code === 'ECONNREFUSED' || code === 'ENOENT') {
      // No agent listens at all.
      this.#muteMs = 0;
      this.#refusal = undefined;
      this.#lose();
      this.#options.onMissing?.();
    }
    if (!(error instanceof PortFailure || error instanceof AgentBroken)) return;
    this.#refusal = error.message;
    if (error instanceof PortFailure && (code === 'AgentOtherProtocol' || code === 'AgentOtherFrame')) await this.#options.onUnusable?.();
  }

  #lose(): void {
    if (this.#agent === undefined) return;
    this.#agent = undefined;
    this.#number = 0;
    this.#options.onLost();
  }

  #hear(reported: AgentReport): void {
    this.#missedBeats = 0;
    this.#muteMs = 0;
    if ('agent' in reported) {
      if (this.#agent !== reported.agent) this.#lose();
      this.#agent = reported.agent;
      this.#number = reported.number;
    } else if ('event' in reported) {
      this.#number = reported.number;
      this.#options.onEvent(readEvent(reported.event));
      for (const waiting of this.#waiting.splice(0)) {
        if (waiting.number <= this.#number) waiting.heard();
        else this.#waiting.push(waiting);
      }
    }
    if (this.#state !== 'here') this.#arrive();
  }

  #arrive(): void {
    this.#state = 'here';
    this.#calls = new AbortController();
    // There may be as many calls as revisions.
    setMaxListeners(0, this.#calls.signal);
    this.#here.resolve();
  }

  #leave(state: 'away' | 'silent'): void {
    if (this.#state === 'here') this.#here = Promise.withResolvers();
    this.#state = state;
    this.#missedBeats = 0;
    this.#calls.abort();
    for (const { heard } of this.#waiting.splice(0)) heard();
  }

  #watch(): void {
    if (this.#state === 'away') return;
    this.#missedBeats += 1;
    const { hungMs, silentMs } = this.#timings;
    if (this.#state === 'here' && this.#missedBeats * BEAT_MS >= silentMs) this.#leave('silent');
    else if (this.#state === 'silent' && this.#missedBeats * BEAT_MS >= hungMs) this.#options.onHung?.();
  }
}

class AgentBroken extends Error {}
/** The agent accepts connections and does not respond. */
class Mute extends Error {}

const away = (message: string, cause?: unknown): PortFailure =>
  new PortFailure('unavailable', message, { context: { engine: 'runtime' }, cause });

const failure = ({ code, context, kind, message }: Failure): Error =>
  kind === undefined
    ? new AgentBroken(message)
    : new PortFailure(kind as PortFailureKind, message, { ...(code && { code }), ...(context && { context }) });
