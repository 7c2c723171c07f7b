/** The three ways a call fails (specification §7): never sent, answered with an error, or not answered at all. */
import type { ErrorObject, FieldError } from '@slipway/contract/kernel/errors.ts';

export { RequiredError } from '@slipway/contract/kernel/kernel.ts';

const isErrorObject = (value: unknown): value is ErrorObject =>
  typeof value === 'object' && value !== null && 'status' in value && 'title' in value;

const MAX_BODY = 2000;

/** A non-2xx answer. `problem` is absent if something other than the platform answered, for example a proxy. */
export class ResponseError extends Error {
  override readonly name = 'ResponseError';
  readonly status: number;
  readonly problem: ErrorObject | undefined;
  /** The answer of a proxy or another server instead of an error object, for support. The text is cut after 2,000 characters. */
  readonly answer: { readonly url: string; readonly type: string; readonly body: string } | undefined;
  constructor(status: number, body: unknown, from: { readonly url: string; readonly type: string } = { url: '', type: '' }) {
    const problem = isErrorObject(body) ? body : undefined;
    // The messages are the specification's (§8). Pages show describe-error.ts instead, and monitoring reports the cause.
    super('Response returned an error code', { cause: problem?.title ?? `The server answered ${status}` });
    this.status = status;
    this.problem = problem;
    const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
    this.answer = problem ? undefined : { ...from, body: text.slice(0, MAX_BODY) };
  }
  get errors(): readonly FieldError[] {
    return this.problem?.errors ?? [];
  }
  get traceId(): string | undefined {
    return this.problem?.traceId;
  }
}

/** The network failed: no answer at all. */
export class FetchError extends Error {
  override readonly name = 'FetchError';
  /** 0 if the API is at another origin, as browsers report such a failure. */
  readonly status: 0 | undefined;
  constructor(cause: unknown, status?: 0) {
    super('The request failed and the interceptors did not return an alternative response', { cause });
    this.status = status;
  }
}

export const isStatus = (error: unknown, ...statuses: number[]): error is ResponseError =>
  error instanceof ResponseError && statuses.includes(error.status);

/** Returns true if the answer contains this error code of the catalog. */
export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof ResponseError && error.errors.some((item) => item.code === code);
