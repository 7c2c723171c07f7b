/** Protocol between server and node agent: taking and ending an agent, one route for each verb of the Runtime port, and events. */
import type { EdgeStats, InstanceEvent, InstanceView, Runtime } from '@slipway/foundation/ports/runtime.ts';
import type { AgentConfig } from './agent-config.ts';

/** Raised with each incompatible change. Independent of the program's version: an upgrade with the same protocol keeps services running. */
export const PROTOCOL = 3;

/**
 * `POST` of `Taking`: the caller drives the agent for as long as it reads the response, an endless NDJSON stream of `AgentReport`. Rejected
 * with 409 and a `Refusal` as its code. This route and `END_PATH` are the same in every protocol version.
 */
export const TAKE_PATH = '/take';
/** `POST`: the agent stops everything and exits; it responds before it exits. Rejected while another server drives it. */
export const END_PATH = '/end';
export interface Taking {
  readonly protocol: number;
  /** Identifies this run of the server. */
  readonly server: string;
  /** The last event that the server has received from this agent. */
  readonly heard?: { readonly agent: string; readonly number: number } | undefined;
  readonly config: AgentConfig;
}
/** `AgentOtherProtocol` and `AgentOtherFrame` come from an agent that cannot be used and must be replaced. */
export type Refusal = 'AgentDriven' | 'AgentEnding' | 'AgentOtherProtocol' | 'AgentOtherFrame';
/** Identifies the caller: verbs are reserved for the server that drives the agent. */
export const SERVER_HEADER = 'slipway-server';

/** Each verb has a route `POST /v1/{verb}`, from the JSON array of its input to `Answer`. */
export const verbs = [
  'capabilities',
  'acquire',
  'release',
  'ensureRevision',
  'deleteRevision',
  'setRoute',
  'routesComplete',
  'list',
  'stats',
  'edgeStats',
  'scrape',
] as const;
export type Verb = (typeof verbs)[number];
export const verbPath = (verb: Verb): string => `/v1/${verb}`;

/** Longest interval between messages on the stream. A reader that hears nothing for longer knows that the agent hangs. */
export const BEAT_MS = 500;

/** A value after a JSON round trip: no `undefined`, and dates as strings. */
export type Wire<Value> = Value extends Date ? string : Value extends object ? { readonly [Key in keyof Value]: Wire<Value[Key]> } : Value;
export type VerbInput<Name extends Verb> = Parameters<Runtime[Name]>;
export type VerbOutput<Name extends Verb> = Awaited<ReturnType<Runtime[Name]>>;

export interface Answer<Output> {
  readonly output: Wire<Output>;
  /** Number of the last event sent before the verb ended, so that the caller sees the verb's events before it continues. */
  readonly events: number;
}
export interface Failure {
  /** Undefined if the error is no port failure but an internal error of the agent. */
  readonly kind?: string;
  readonly message: string;
  readonly code?: string | undefined;
  readonly context?: Record<string, string>;
}
export type AgentReport =
  /** Always the first message. `agent` identifies this run of the agent. */
  | { readonly agent: string; readonly number: number }
  | { readonly number: number; readonly event: Wire<InstanceEvent> }
  | Record<string, never>;

export const readEvent = (event: Wire<InstanceEvent>): InstanceEvent => ({ ...event, at: new Date(event.at) });

export const readView = (view: Wire<InstanceView>): InstanceView => ({
  ...view,
  since: new Date(view.since),
  port: view.port,
  lastExit: view.lastExit && { ...view.lastExit, at: new Date(view.lastExit.at) },
});

export const readEdgeStats = (stats: Wire<EdgeStats>): EdgeStats => ({
  ...stats,
  lastRequestAt: stats.lastRequestAt === undefined ? undefined : new Date(stats.lastRequestAt),
});
