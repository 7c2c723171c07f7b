/** What a server and a node agent say to each other: how one is taken and ended, one route for each verb of the Runtime port, and what happens. */
import type { EdgeStats, InstanceEvent, InstanceView, Runtime } from '#ports/runtime.ts';
import type { AgentConfig } from './agent-config.ts';

/**
 * Raised with each change after which a server of before and an agent of after would misunderstand each other. Not the program's version:
 * an upgrade that leaves it as it is keeps services running.
 */
export const PROTOCOL = 3;

/**
 * `POST` of `Taking`: makes the caller the server that drives the agent, for as long as it listens to the answer, NDJSON of `AgentReport` without
 * an end. Refused with 409 and a `Refusal` as its code. This and `END_PATH` stay as they are in every protocol.
 */
export const TAKE_PATH = '/take';
/** `POST`: the agent stops all that it runs, and ends; answered before its last moment. Refused while another server drives it. */
export const END_PATH = '/end';
export interface Taking {
  readonly protocol: number;
  /** Names this run of the server. */
  readonly server: string;
  /** The last event that it has heard of this agent. */
  readonly heard?: { readonly agent: string; readonly number: number } | undefined;
  readonly config: AgentConfig;
}
/** The last two by an agent that cannot be used, and is to be ended. */
export type Refusal = 'AgentDriven' | 'AgentEnding' | 'AgentOtherProtocol' | 'AgentOtherFrame';
/** Who asks: verbs are for the server that drives the agent. */
export const SERVER_HEADER = 'slipway-server';

/** Its routes are `POST /v1/{verb}`, from the JSON array of the verb's input to `Answer`. */
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

/** The stream says something at least this often; a reader who hears nothing for longer knows that the agent stands still. */
export const BEAT_MS = 500;

/** As JSON has it: no `undefined`, and times as texts. */
export type Wire<Value> = Value extends Date ? string : Value extends object ? { readonly [Key in keyof Value]: Wire<Value[Key]> } : Value;
export type VerbInput<Name extends Verb> = Parameters<Runtime[Name]>;
export type VerbOutput<Name extends Verb> = Awaited<ReturnType<Runtime[Name]>>;

export interface Answer<Output> {
  readonly output: Wire<Output>;
  /** The last event that was sent before the verb ended: what a verb has caused arrives before its caller goes on. */
  readonly events: number;
}
export interface Failure {
  /** None of a port's: something in the agent broke. */
  readonly kind?: string;
  readonly message: string;
  readonly code?: string | undefined;
  readonly context?: Record<string, string>;
}
export type AgentReport =
  /** First of all; `agent` names this run of the agent. */
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
