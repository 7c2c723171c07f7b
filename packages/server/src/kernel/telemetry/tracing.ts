/**
 * Spans, as the platform's code creates them. Without a configured collector no OpenTelemetry module is loaded, and every function here
 * only runs its work.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { newTraceId } from '../ids.ts';

export interface SpanDetails {
  readonly kind?: 'internal' | 'client';
  /** Stored `traceparent` of the request that caused this work. Null begins a trace outside of a trace. Without it, work outside of a trace gets no span. */
  readonly parent?: string | null;
  readonly attributes?: Readonly<Record<string, string | number>>;
}

/** Name and path template of a route. */
export interface RouteName {
  readonly id: string;
  readonly path: string;
  /** The span of a live stream (`events`) ends when the stream is open. Otherwise it would collect the calls of hours. */
  readonly stream?: string | undefined;
}

export interface Tracing {
  inSpan<T>(name: string, details: SpanDetails, work: () => Promise<T>): Promise<T>;
  /** Runs `next` in a span that ends with the response. */
  request(request: IncomingMessage, response: ServerResponse, next: () => void): void;
  /** Runs `work` in the request's span: events of the request's body leave it. */
  resume<T>(request: IncomingMessage, work: () => T): T;
  named(request: IncomingMessage, route: RouteName): void;
  failed(reason: string): void;
  traceId(): string | undefined;
  traceparent(): string | undefined;
}

let tracing: Tracing | undefined;

/** Called once, before the server accepts requests. Undefined turns tracing off. */
export const setTracing = (value: Tracing | undefined): void => void (tracing = value);

export const inSpan = <T>(name: string, details: SpanDetails, work: () => Promise<T>): Promise<T> =>
  tracing ? tracing.inSpan(name, details, work) : work();

export const tracedRequest = (request: IncomingMessage, response: ServerResponse, next: () => void): void =>
  tracing ? tracing.request(request, response, next) : next();

export const resumeRequest = <T>(request: IncomingMessage, work: () => T): T => (tracing ? tracing.resume(request, work) : work());

export const nameRequest = (request: IncomingMessage, route: RouteName): void => tracing?.named(request, route);

/** Marks the active span as failed, for failures that are not thrown. */
export const spanFailed = (reason: string): void => tracing?.failed(reason);

/** Returns the id of the active trace, or a new id. */
export const traceIdNow = (): string => tracing?.traceId() ?? newTraceId();

/** Returns the active trace context in W3C format, to be stored with work that continues later. Null if there is none. */
export const traceparentNow = (): string | null => tracing?.traceparent() ?? null;
