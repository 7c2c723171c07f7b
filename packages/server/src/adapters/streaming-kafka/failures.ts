/** What Kafka answers, as failures of the port. Codes are those of Kafka's protocol guide. */
import { protocolErrorsCodesById, TimeoutError } from '@platformatic/kafka';
import { errorCode } from '#kernel/caught.ts';
import { PortFailure } from '#ports/failure.ts';
import type { StreamingRefusal } from '#ports/streaming.ts';

export const NO_ERROR = 0;
export const UNKNOWN_TOPIC = 3;
export const OFFSET_OUT_OF_RANGE = 1;
/** Of a message that is written, and of one that a broker cannot read any more. */
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
/** The second: a group with members. */
const CONFLICTS = new Set([TOPIC_EXISTS, 68]);

/** What the cluster says of one thing that it was asked for; undefined where it is well. */
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

/** Not the controller, not the leader any more, not yet the coordinator, a broker that is just away: gone a moment later. */
export class PassingFailure extends PortFailure {}
const PASSING = new Set([5, 6, 8, 9, 13, 14, 15, 16, 41, 74, 75, 100]);

export function throwIfFailed(number: number, operation: string, reason?: string | null): void {
  const failure = failureOf(number, operation, reason);
  if (failure) throw failure;
}

/** What the client throws: connections that fail, sign-ins that are refused, versions that are not spoken. */
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

/** True where somebody who signed in with a password was turned away. */
export const isSignInRefusal = (error: unknown): boolean =>
  [...within(error)].some((found) => errorCode(found) === 'PLT_KFK_AUTHENTICATION');

/** The answer may still come, to nobody: what is read next on that connection would be taken for another's. */
export const isTimeout = (error: unknown): boolean => [...within(error)].some((found) => found instanceof TimeoutError);

/** Errors hold others: as their cause, or as those of several tries. */
function* within(error: unknown): Generator<Error> {
  if (!(error instanceof Error)) return;
  yield error;
  yield* within(error.cause);
  if (error instanceof AggregateError) for (const one of error.errors) yield* within(one);
}
