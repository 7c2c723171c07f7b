/** Tells that the platform's own disk has no space left, whoever met it: a file, PostgreSQL, or the floor that is kept free. */
import { PortFailure } from '#ports/failure.ts';
import { errorCode } from './caught.ts';

/** The code of the catalogue, for answers and for steps of pipelines. */
export const PLATFORM_DISK_FULL = 'PlatformDiskFull';
/** The file system, a quota, PostgreSQL (`disk_full`), and the registry as it was asked through its own protocol. */
const CODES = new Set(['ENOSPC', 'EDQUOT', '53100', PLATFORM_DISK_FULL]);
const MAX_CAUSES = 8;

/** Also where it is only the cause of what was thrown. */
export function isNoSpace(error: unknown): boolean {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth++) {
    if (CODES.has(errorCode(current) ?? '')) return true;
    current = current.cause;
  }
  return false;
}

/** It passes by itself once somebody has freed space, as an engine that is away does: whoever can wait tries again. */
export const noSpace = (message = 'the disk of the platform is nearly full', cause?: unknown): PortFailure =>
  new PortFailure('unavailable', message, { code: PLATFORM_DISK_FULL, context: { engine: 'disk' }, cause });
