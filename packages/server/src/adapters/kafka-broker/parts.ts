/**
 * How the parts of the broker meet. Nobody imports another part's classes: connections, logs and topics are on one side, groups and access
 * on the other, and an environment puts them together (environment.ts). Each interface says who makes it and who calls it.
 */
import type { Api, Request, Response } from './protocol/apis.ts';

/** What a handler knows of the request beside its body. Made by the connection for each request. */
export interface Caller {
  /** Without `User:`; the name that signed in. */
  readonly principal: string;
  /** The client's address, for ACLs' hosts and for limits. */
  readonly host: string;
  readonly clientId: string | null;
  readonly version: number;
  /** Ends when the connection does, so that a long wait (a join, a fetch) ends with it. */
  readonly closed: AbortSignal;
}

/**
 * One API: the versions that are offered, and what answers. Connections decode the request, call `handle` and encode what it answers; they
 * answer in the order of the requests, one at a time. What `handle` throws closes the connection and is logged, so errors are answered as
 * codes. Nothing is sent for `undefined` (a produce request that wants no answer).
 */
export interface Handler<A extends Api> {
  readonly api: A;
  readonly versions: readonly [min: number, max: number];
  handle(request: Request<A>, caller: Caller): Response<A> | undefined | Promise<Response<A> | undefined>;
}
/** Any of them: parts give an environment a list of these, made by `handler()` of protocol/handler.ts. */
export interface AnyHandler {
  readonly api: Api;
  readonly versions: readonly [min: number, max: number];
  handle(request: unknown, caller: Caller): unknown;
}

/** Kafka's own numbers, as they are in the protocol. */
export const resourceTypes = { any: 1, topic: 2, group: 3, cluster: 4, transactionalId: 5 } as const;
export type ResourceType = (typeof resourceTypes)[keyof typeof resourceTypes];
export const operations = {
  any: 1,
  all: 2,
  read: 3,
  write: 4,
  create: 5,
  delete: 6,
  alter: 7,
  describe: 8,
  clusterAction: 9,
  describeConfigs: 10,
  alterConfigs: 11,
  idempotentWrite: 12,
} as const;
export type Operation = (typeof operations)[keyof typeof operations];
/** The one resource of the type `cluster`. */
export const CLUSTER = 'kafka-cluster';

/** Made in access/. Called by every handler before it does or reveals anything. Pure and synchronous: rules are in memory. */
export interface Authorizer {
  may(who: Pick<Caller, 'principal' | 'host'>, operation: Operation, type: ResourceType, name: string): boolean;
  /** On any resource of the type at all, as InitProducerId asks for WRITE on some topic. */
  mayOnAny(who: Pick<Caller, 'principal' | 'host'>, operation: Operation, type: ResourceType): boolean;
}

/** One exchange of SASL: a connection gives it the client's messages in turn. */
export interface SaslExchange {
  step(message: Buffer): Promise<SaslStep>;
}
export type SaslStep =
  | { readonly state: 'continue'; readonly answer: Buffer }
  /** `sessionMs`: after so long the client has to sign in again; 0 for never. */
  | { readonly state: 'signedIn'; readonly answer: Buffer; readonly principal: string; readonly sessionMs: number }
  /** `reason` is for the client and says nothing of what is known; the connection answers it and closes. */
  | { readonly state: 'refused'; readonly reason: string };

/** Made in access/. Called by connections alone. */
export interface Users {
  /** As SaslHandshake lists them. */
  readonly mechanisms: readonly string[];
  begin(mechanism: string, host: string): SaslExchange;
  /** Connections of these principals are closed. */
  onDeleted(listener: (principal: string) => void): void;
}

/** Made by topics/. Called by groups/ and access/, which know topics by name alone. */
export interface TopicDirectory {
  /** Undefined where there is none. */
  partitionCount(topic: string): number | undefined;
  topicId(topic: string): string | undefined;
  topicName(topicId: string): string | undefined;
  names(): Iterable<string>;
  onDeleted(listener: (topic: string) => void): void;
}

/** What each part is given when an environment starts. */
export interface PartContext {
  /** The part's own directory, which exists, mode 0700. */
  readonly directory: string;
  readonly topics: TopicDirectory;
  /** The address that clients use for this node, as Metadata and FindCoordinator answer it. Node id is always `NODE_ID`. */
  readonly advertised: { readonly host: string; readonly port: number };
  readonly clusterId: string;
  now(): number;
  log(level: 'info' | 'warn' | 'error', message: string, detail?: Readonly<Record<string, unknown>>): void;
}
export const NODE_ID = 1;

/** Made by access/start-access.ts: `startAccess(context, admin)`. */
export interface Access {
  readonly authorizer: Authorizer;
  readonly users: Users;
  /** DescribeAcls, CreateAcls, DeleteAcls, DescribeUserScramCredentials, AlterUserScramCredentials. */
  readonly handlers: readonly AnyHandler[];
  close(): Promise<void>;
}
/** The platform's own sign-in: the super user, in no file, given at the start. */
export interface AdminCredential {
  readonly name: string;
  readonly password: string;
}

/** Made by groups/start-groups.ts: `startGroups(context, authorizer)`. */
export interface Groups {
  /** FindCoordinator, JoinGroup, SyncGroup, Heartbeat, LeaveGroup, DescribeGroups, ListGroups, DeleteGroups, OffsetCommit, OffsetFetch, OffsetDelete. */
  readonly handlers: readonly AnyHandler[];
  close(): Promise<void>;
}

export type StartAccess = (context: PartContext, admin: AdminCredential) => Promise<Access>;
export type StartGroups = (context: PartContext, authorizer: Authorizer) => Promise<Groups>;
