/** Maps any error of a request to a code of the catalogue. Errors not known to be the caller's fault become server errors. */
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import { isDatabaseOutage, isStatementTimeout } from '#db/outage.ts';
import { isPortFailure } from '#ports/failure.ts';
import { errorCode } from '#kernel/caught.ts';
import { isNoSpace, PLATFORM_DISK_FULL } from '#kernel/no-space.ts';
import { Problem } from '#kernel/problem.ts';

/** PostgreSQL's error codes for a NUL in text or JSON, which came from the request. */
const NOT_TEXT = new Set(['22021', '22P05']);
const MEBIBYTE = 1024 * 1024;

const ofBody = (code: string, cause: unknown, bodyLimitBytes: number): Problem => {
  if (code !== 'FST_ERR_CTP_BODY_TOO_LARGE') return new Problem('BodyInvalid', { cause });
  const limit = bodyLimitBytes < MEBIBYTE ? `${bodyLimitBytes / 1024} KiB` : `${bodyLimitBytes / MEBIBYTE} MiB`;
  return new Problem('PayloadTooLarge', { context: { limit } });
};

export const problemOf = (error: unknown, bodyLimitBytes: number): Problem => {
  if (error instanceof Problem) return error;
  if (isNoSpace(error)) return new Problem(PLATFORM_DISK_FULL, { cause: error });
  if (isPortFailure(error, 'unavailable'))
    return new Problem('EngineUnavailable', { context: { engine: error.context['engine'] ?? 'engine' }, cause: error });
  if (isDatabaseOutage(error) || isStatementTimeout(error))
    return new Problem('EngineUnavailable', { context: { engine: 'database' }, cause: error });
  if (isPortFailure(error, 'notFound')) return new Problem('MISSING_RESOURCE', { cause: error });
  const code = errorCode(error) ?? '';
  const statusCode = isRecord(error) ? error['statusCode'] : undefined;
  if (NOT_TEXT.has(code)) return new Problem('BodyInvalid', { cause: error });
  if (code.startsWith('FST_ERR_CTP')) return ofBody(code, error, bodyLimitBytes);
  // Only attackers send such paths, for example `/..%5c`. The 403 of the file server would look like a failure.
  if (statusCode === 403 || statusCode === 404) return new Problem('MISSING_RESOURCE', { cause: error });
  if (error instanceof SyntaxError) return new Problem('BodyInvalid', { cause: error });
  return new Problem('INTERNAL_APPLICATION_ERROR', { cause: error });
};
