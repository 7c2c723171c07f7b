/** Translates Kafka's errors into failures of the port. Codes are from Kafka's protocol guide. */
import { protocolErrorsCodesById, TimeoutError } from '@platformatic/kafka';
import { errorCode } from '#kernel/caught.ts';
import { PortFailure } from '#ports/failure.ts';
import type { StreamingRefusal } from '#ports/streaming.ts';

export const NO_ERROR = 0;
export const UNKNOWN_TOPIC = 3;
export const OFFSET_OUT_OF_RANGE = 1;
/** For a message being written, and for a stored one that a broker can no longer read. */
export const CORRUPT_MESSAGE = 2;
export const TOPIC_EXISTS = 36;
const INVALID_PARTITIONS = 37;
export const INVALID_REPLICATION = 38;
export const SECURITY_DISABLED = 54;
export const GROUP_NOT_FOUND = 69;
export const RESOURCE_NOT_FOUND = 91;

const refusals: Readonly<Record<number, StreamingRefusal>> = {
  [CORRUPT_MESSAGE]: 'StreamingMessageRefused',
  10: 'StreamingMessageTooLarge',
  17: 'StreamingNameRefused',
  18: 'StreamingMessageTooLarge',
  24: 'StreamingNameRefused',
  29: 'StreamingNotAuthorized',
  30: 'StreamingNotAuthorized',
  31: 'StreamingNotAuthorized',
  32: 'StreamingMessageRefused',
  33: 'StreamingSignInRefused',
  34: 'StreamingSignInRefused',
  35: 'StreamingUnsupported',
  [INVALID_PARTITIONS]: 'StreamingPartitionsRefused',
  [INVALID_REPLICATION]: 'StreamingReplicationRefused',
  39: 'StreamingReplicationRefused',
  40: 'StreamingConfigRefused',
  42: 'StreamingConfigRefused',
  43: 'StreamingUnsupported',
  44: 'StreamingPolicyRefused',
  [SECURITY_DISABLED]: 'StreamingUnsupported',
  58: 'StreamingSignInRefused',
  73: 'StreamingUnsupported',
  76: 'StreamingUnsupported',
  87: 'StreamingMessageRefused',
  92: 'StreamingUserRefused',
  93: 'StreamingUserRefused',
};
const ENGINE = { engine: 'Kafka cluster' };
const NOT_FOUND = new Set([UNKNOWN_TOPIC, GROUP_NOT_FOUND, RESOURCE_NOT_FOUND, 25]);
/** 68 is a group with members. */
const CONFLICTS = new Set([TOPIC_EXISTS, 68]);

/** Maps an error code to a failure. Returns undefined for success. */
export function failureOf(number: number, operation: string, reason?: string | null): PortFailure | undefined {
  if (number === NO_ERROR) return undefined;
  const name = protocolErrorsCodesById[number] ?? `error ${number}`;
  const message = `${operation}: ${name}${reason ? `: ${reason}` : ''}`;
  if (NOT_FOUND.has(number)) return new PortFailure('notFound', message);
  if (CONFLICTS.has(number)) return new PortFailure('conflict', message);
  const code = refusals[number];
  if (code) return new PortFailure('rejected', message, { code, context: { operation, reason: reason ?? name } });
  return new (PASSING.has(number) ? PassingFailure : PortFailure)('unavailable', message, { context: ENGINE });
}

/** A transient failure: the broker is not the controller, no longer the leader, not yet the coordinator, or briefly unavailable. */
export class PassingFailure extends PortFailure {}
const PASSING = new Set([5, 6, 8, 9, 13, 14, 15, 16, 41, 74, 75, 100]);

export function throwIfFailed(number: number, operation: string, reason?: string | null): void {
  const failure = failureOf(number, operation, reason);
  if (failure) throw failure;
}

/** Maps errors of the client: broken connections, failed sign-ins, unsupported versions. */
export function failureFrom(error: unknown, operation: string): PortFailure {
  if (error instanceof PortFailure) return error;
  const detail = (code: StreamingRefusal, reason: string) => ({ code, context: { operation, reason }, cause: error });
  for (const found of within(error)) {
    const code = errorCode(found);
    if (code === 'PLT_KFK_AUTHENTICATION')
      return new PortFailure('rejected', `${operation}: the platform may not sign in`, detail('StreamingSignInRefused', found.message));
    if (code === 'PLT_KFK_UNSUPPORTED_API')
      return new PortFailure('rejected', `${operation}: the cluster cannot do this`, detail('StreamingUnsupported', found.message));
  }
  const message = error instanceof Error ? error.message : String(error);
  return new PortFailure('unavailable', `${operation}: ${message}`, { context: ENGINE, cause: error });
}

/** Returns true if the cluster rejected the password. */
export const isSignInRefusal = (error: unknown): boolean =>
  [...within(error)].some((found) => errorCode(found) === 'PLT_KFK_AUTHENTICATION');

/** Returns true for timeouts. A late answer could be mistaken for the answer to the next request on that connection. */
export const isTimeout = (error: unknown): boolean => [...within(error)].some((found) => found instanceof TimeoutError);

/** Yields the error and those inside it, as causes or as errors of several attempts. */
function* within(error: unknown): Generator<Error> {
  if (!(error instanceof Error)) return;
  yield error;
  yield* within(error.cause);
  if (error instanceof AggregateError) for (const one of error.errors) yield* within(one);
}
