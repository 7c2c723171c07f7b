/** Requests to the API. */
import type { ErrorEntry } from './error-entry.ts';

export const requestsErrors = {
  BodyInvalid: { status: 400, message: 'The request body is not valid JSON of the expected shape' },
  RequestInvalid: { status: 400, message: 'This is no valid HTTP request' },
  BodyTooDeep: { status: 400, message: 'The request body is nested deeper than {max} levels' },
  BodyKeyInvalid: { status: 400, message: 'The key {key} stands twice in one object, or is never taken' },
  MethodNotAllowed: { status: 405, message: 'This address does not take {method}, but {allow}' },
  HeadersTooLarge: { status: 431, message: 'The headers of the request are too large' },
  TooManyRequests: {
    status: 429,
    message: 'Too many requests at the same time. Try again in {seconds} s.',
  },
  TooManyStreams: {
    status: 429,
    message: 'You have {max} live streams open. Close some, or try again in {seconds} s.',
  },
  TooManyApiTokens: { status: 409, message: 'You have {max} API tokens. Revoke one that is not used any more.' },
  PayloadTooLarge: { status: 413, message: 'The request is larger than {limit}' },
  IdempotencyKeyReused: {
    status: 409,
    message: 'This Idempotency-Key was used for a different request',
  },
  WrongHost: { status: 421, message: 'This address is not served here' },
} as const satisfies Record<string, ErrorEntry>;
