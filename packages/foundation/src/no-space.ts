/** Detects that the platform's disk is full, as reported by a file, PostgreSQL, or the reserved floor. */
import { PortFailure } from './ports/failure.ts';
import { errorCode } from './caught.ts';

/** Code of the catalogue, for responses and pipeline steps. */
export const PLATFORM_DISK_FULL = 'PlatformDiskFull';
/** Codes of the file system, a quota, PostgreSQL (`disk_full`), and the registry's own protocol. */
const CODES = new Set(['ENOSPC', 'EDQUOT', '53100', PLATFORM_DISK_FULL]);
const MAX_CAUSES = 8;

/** Checks the error and its causes. */
export function isNoSpace(error: unknown): boolean {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth++) {
    if (CODES.has(errorCode(current) ?? '')) return true;
    current = current.cause;
  }
  return false;
}

/** Clears once somebody frees space, like an unavailable engine. Callers that can wait retry. */
export const noSpace = (message = 'the disk of the platform is nearly full', cause?: unknown): PortFailure =>
  new PortFailure('unavailable', message, { code: PLATFORM_DISK_FULL, context: { engine: 'disk' }, cause });
