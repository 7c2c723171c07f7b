/** Calls the platform's API over HTTP, as a user would, and waits for pipelines. */
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf, type ErrorObject } from '@slipway/contract/kernel/errors.ts';
import { pathOf, queryString, type BodyInput, type ResponseOf, type RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { isActive, pipelineView, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';

const POLL_MS = 250;
/** The platform answers 503 while an engine is away, and 409 while a pipeline of the same object runs. */
const TRIES = 40;
const RETRY_MS = 500;

/** The scene cannot go on: the API refused something, or a pipeline failed. */
export class SceneFailure extends Error {
  override readonly name = 'SceneFailure';
  readonly status: number | undefined;

  constructor(message: string, { status, ...options }: ErrorOptions & { readonly status?: number } = {}) {
    super(message, options);
    this.status = status;
  }
}

export interface Asked<R extends RouteShape> {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: BodyInput<R>;
}

const isErrorObject = (value: unknown): value is ErrorObject =>
  typeof value === 'object' && value !== null && 'errors' in value && Array.isArray(value.errors);
const reasonOf = (body: unknown): string =>
  isErrorObject(body) ? body.errors.map(({ code, context }) => messageOf(code, context) || code).join(' ') : 'no reason given';

export class SceneApi {
  readonly base: string;
  readonly #token: string;
  readonly signal: AbortSignal;

  constructor(options: { readonly base: string; readonly token: string; readonly signal: AbortSignal }) {
    this.base = options.base;
    this.#token = options.token;
    this.signal = options.signal;
  }

  async #send(route: RouteShape, { params, query, headers, body }: Asked<RouteShape>): Promise<{ status: number; body: unknown }> {
    const answer = await fetch(`${this.base}${pathOf(route, params)}${queryString(query)}`, {
      method: route.method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      signal: this.signal,
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
  }

  /** Throws SceneFailure with the API's own words if it refuses. Waits and repeats while the object or an engine is busy. */
  async call<R extends RouteShape>(route: R, asked: Asked<R> = {}): Promise<ResponseOf<R>> {
    for (let tries = 1; ; tries++) {
      const { status, body } = await this.#send(route, asked as Asked<RouteShape>);
      if (status < 300) return body as ResponseOf<R>;
      const isBusy = status === 409 || status === 429 || status === 503;
      if (!isBusy || tries >= TRIES) throw new SceneFailure(`${route.summary}: ${reasonOf(body)}`, { status });
      await delay(RETRY_MS, undefined, { signal: this.signal });
    }
  }

  /** Returns undefined if the object does not exist. */
  async find<R extends RouteShape>(route: R, params: Readonly<Record<string, string>>): Promise<ResponseOf<R> | undefined> {
    try {
      return await this.call(route, { params });
    } catch (error) {
      if (error instanceof SceneFailure && error.status === 404) return undefined;
      throw error;
    }
  }

  /** Reads again and again until the condition holds. */
  async until<R extends RouteShape>(
    route: R,
    params: Readonly<Record<string, string>>,
    holds: (view: ResponseOf<R>) => boolean,
  ): Promise<ResponseOf<R>> {
    for (;;) {
      const view = await this.call(route, { params });
      if (holds(view)) return view;
      await delay(POLL_MS, undefined, { signal: this.signal });
    }
  }

  /** Waits for the end of a pipeline, whatever it is. */
  ended(pipelineId: string): Promise<PipelineRun> {
    return this.until(pipelineView, { pipelineId }, ({ status }) => !isActive(status.state));
  }

  /** Waits until the pipeline has completed. Throws SceneFailure with the reason of a failed step. */
  async done(started: unknown): Promise<void> {
    const pipelineId = typeof started === 'object' && started !== null && 'pipelineId' in started ? String(started.pipelineId) : undefined;
    if (pipelineId === undefined) return;
    const run = await this.ended(pipelineId);
    if (run.status.state !== 'COMPLETED') throw new SceneFailure(`${run.pipelineType}: ${run.statusMessage ?? run.status.state}`);
  }
}
