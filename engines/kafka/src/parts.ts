/**
 * The interfaces between the parts of the broker. No part imports another part's classes: connections, logs and topics are on one side,
 * groups and access on the other, and an environment wires them together (environment.ts). Each interface says who makes it and who calls
 * it.
 */
import type { Api, Request, Response } from './protocol/apis.ts';

/** Facts about a request besides its body. Made by the connection for each request. */
export interface Caller {
  /** The name that signed in, without `User:`. */
  readonly principal: string;
  /** The client's address, for ACLs' hosts and for limits. */
  readonly host: string;
  readonly clientId: string | null;
  readonly version: number;
  /** Aborted when the connection closes, so that long waits (a join, a fetch) end, too. */
  readonly closed: AbortSignal;
}

/**
 * One API: its supported versions and its function. A connection decodes the request, calls `handle` and encodes the response. It answers
 * requests one at a time, in order. If `handle` throws, the connection logs the error and closes, so handlers return errors as codes. If
 * `handle` returns undefined, nothing is sent (a produce request with acks=0).
 */
export interface Handler<A extends Api> {
  readonly api: A;
  readonly versions: readonly [min: number, max: number];
  handle(request: Request<A>, caller: Caller): Response<A> | undefined | Promise<Response<A> | undefined>;
}
/** A handler of any API. Each part gives an environment a list of these, made by `handler()` of protocol/handler.ts. */
export interface AnyHandler {
  readonly api: Api;
  readonly versions: readonly [min: number, max: number];
  handle(request: unknown, caller: Caller): unknown;
}

/** Kafka's resource types, as in the protocol. */
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
/** The name of the only resource of type `cluster`. */
export const CLUSTER = 'kafka-cluster';

/** Made in access/. Every handler calls it before it does or reveals anything. Pure and synchronous, because rules are in memory. */
export interface Authorizer {
  may(who: Pick<Caller, 'principal' | 'host'>, operation: Operation, type: ResourceType, name: string): boolean;
  /** Checks for the right on any resource of the type: InitProducerId needs WRITE on any topic. */
  mayOnAny(who: Pick<Caller, 'principal' | 'host'>, operation: Operation, type: ResourceType): boolean;
}

/** One SASL exchange. The connection passes in the client's messages in order. */
export interface SaslExchange {
  step(message: Buffer): Promise<SaslStep>;
}
export type SaslStep =
  | { readonly state: 'continue'; readonly answer: Buffer }
  /** `sessionMs`: milliseconds until the client has to sign in again, or 0 for never. */
  | { readonly state: 'signedIn'; readonly answer: Buffer; readonly principal: string; readonly sessionMs: number }
  /** `reason` is for the client and reveals nothing about existing users. The connection sends it and closes. */
  | { readonly state: 'refused'; readonly reason: string };

/** Made in access/. Only connections call it. */
export interface Users {
  /** The mechanisms that SaslHandshake lists. */
  readonly mechanisms: readonly string[];
  begin(mechanism: string, host: string): SaslExchange;
  /** Calls the listener for each deleted principal, so that its connections are closed. */
  onDeleted(listener: (principal: string) => void): void;
}

/** Made by topics/. Called by groups/ and access/, which know topics only by name. */
export interface TopicDirectory {
  /** Returns undefined if the topic does not exist. */
  partitionCount(topic: string): number | undefined;
  topicId(topic: string): string | undefined;
  topicName(topicId: string): string | undefined;
  names(): Iterable<string>;
  onDeleted(listener: (topic: string) => void): void;
}

/** The input of each part when an environment starts. */
export interface PartContext {
  /** The part's own directory. It exists, with mode 0700. */
  readonly directory: string;
  readonly topics: TopicDirectory;
  /** This node's address for clients, returned by Metadata and FindCoordinator. The node id is always `NODE_ID`. */
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
/** The platform's own user: a super user that is not stored in a file but passed in at startup. */
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
