/**
 * Adds a span to each outgoing call of a traced request or step: HTTP, and programs such as git. Listens to Node's diagnostics channels. A
 * channel without a listener costs nothing.
 */
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { basename } from 'node:path';
import { SpanKind, SpanStatusCode, type Span, type Tracer } from '@opentelemetry/api';
import { errorMessage } from '#kernel/caught.ts';
import { activeParent } from './active-parent.ts';
import { traceparentOf } from './traceparent.ts';

const FIRST_ERROR = 400;

/** A request of fetch, or of the client for Kubernetes. */
interface FetchRequest {
  readonly method: string;
  readonly origin: string | URL;
  readonly path: string;
  addHeader(name: string, value: string): void;
}

interface Described {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
}

class Calls {
  readonly #spans = new WeakMap<object, Span>();
  readonly #tracer: Tracer;

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  /** Returns undefined outside of a trace, without calling `describe`. */
  begin(call: object, describe: () => Described): Span | undefined {
    const parent = activeParent();
    if (!parent) return undefined;
    const { name, attributes } = describe();
    const span = this.#tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, parent);
    this.#spans.set(call, span);
    return span;
  }

  answered(call: object, status: number): void {
    const span = this.#spans.get(call)?.setAttribute('http.response.status_code', status);
    if (status >= FIRST_ERROR) span?.setStatus({ code: SpanStatusCode.ERROR });
    this.end(call);
  }

  failed(call: object, reason: string): void {
    this.#spans.get(call)?.setStatus({ code: SpanStatusCode.ERROR, message: reason });
    this.end(call);
  }

  end(call: object): void {
    this.#spans.get(call)?.end();
    this.#spans.delete(call);
  }
}

/** Calls of the engines' clients. They get the trace context. */
const ofFetch = (calls: Calls) => ({
  'undici:request:create': ({ request }: { request: FetchRequest }): void => {
    const span = calls.begin(request, () => {
      const { host } = new URL(request.origin);
      // A path such as `//` is no URL. An error in a listener would end the process.
      const [path = ''] = request.path.split('?', 1);
      const attributes = { 'http.request.method': request.method, 'server.address': host, 'url.path': path };
      return { name: `${request.method} ${host}`, attributes };
    });
    if (span) request.addHeader('traceparent', traceparentOf(span.spanContext()));
  },
  'undici:request:headers': ({ request, response }: { request: object; response: { statusCode: number } }): void =>
    calls.answered(request, response.statusCode),
  'undici:request:error': ({ request, error }: { request: object; error: unknown }): void => calls.failed(request, errorMessage(error)),
});

/** Calls of addresses that users name, and of the node agent. Paths of webhooks may be secret, and strangers get no trace context. */
const ofHttp = (calls: Calls) => ({
  'http.client.request.created': ({ request }: { request: ClientRequest }): void =>
    void calls.begin(request, () => ({
      name: `${request.method} ${request.host}`,
      attributes: { 'http.request.method': request.method, 'server.address': request.host },
    })),
  'http.client.response.finish': ({ request, response }: { request: object; response: IncomingMessage }): void =>
    calls.answered(request, response.statusCode ?? 0),
  'http.client.request.error': ({ request, error }: { request: object; error: unknown }): void =>
    calls.failed(request, errorMessage(error)),
});

/** Programs that a request or step starts. Arguments may be secret, so only the name is kept. */
const ofPrograms = (calls: Calls) => ({
  child_process: ({ process: child }: { process: ChildProcess }): void => {
    const span = calls.begin(child, () => ({ name: 'program', attributes: {} }));
    if (!span) return;
    child.once('spawn', () => {
      // A script that sets limits first names the program that it executes.
      const [program = '', flag, , named = program] = child.spawnargs;
      const name = basename(flag === '-c' ? named : program);
      span.updateName(name).setAttribute('process.executable.name', name);
    });
    child.once('exit', (code) => {
      if (code !== null) span.setAttribute('process.exit.code', code);
      calls.end(child);
    });
    child.once('error', (error) => calls.failed(child, errorMessage(error)));
  },
});

/** Returns a function that stops listening. */
export const traceCalls = (tracer: Tracer): (() => void) => {
  const calls = new Calls(tracer);
  const listeners = Object.entries({ ...ofFetch(calls), ...ofHttp(calls), ...ofPrograms(calls) }).map(
    // Each channel publishes the type that its listener takes.
    ([channel, listener]) => [channel, (message: unknown) => listener(message as never)] as const,
  );
  for (const [channel, listener] of listeners) subscribe(channel, listener);
  return () => {
    for (const [channel, listener] of listeners) unsubscribe(channel, listener);
  };
};
