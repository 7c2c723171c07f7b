/** Why making or restoring a copy failed: a code of the contract's `backupFailureTexts` with its values, shown to the team. */
import type { BackupFailure } from '@slipway/contract/database/backup.ts';
import { errorCode, errorMessage } from '#kernel/caught.ts';
import { isNoSpace, PLATFORM_DISK_FULL } from '#kernel/no-space.ts';
import { isPortFailure } from '#ports/failure.ts';
import { LOCK_SECONDS } from './session.ts';

export class CopyFailure extends Error implements BackupFailure {
  override readonly name = 'CopyFailure';
  readonly code: string;
  readonly context: Record<string, string>;

  constructor(code: string, context: Record<string, string> = {}, options?: ErrorOptions) {
    super(`${code} ${JSON.stringify(context)}`, options);
    this.code = code;
    this.context = context;
  }
}

const LOCK_NOT_AVAILABLE = '55P03';
/** Refused or lost connections, and servers that are starting or stopping. */
const UNREACHABLE = /^(ECONN|ETIMEDOUT|ENOTFOUND|EPIPE|08|57P0)/;

/** Uses only the main error message: PostgreSQL's detail and hint may quote rows. */
export const failureOf = (error: unknown, otherwise: 'CopyFailed' | 'RestoreFailed'): CopyFailure => {
  if (error instanceof CopyFailure) return error;
  const cause = { cause: error };
  if (isNoSpace(error)) return new CopyFailure(PLATFORM_DISK_FULL, {}, cause);
  const code = errorCode(error) ?? '';
  const reason = errorMessage(error).slice(0, 500);
  if (code === LOCK_NOT_AVAILABLE) return new CopyFailure('TableLocked', { seconds: String(LOCK_SECONDS) }, cause);
  if (UNREACHABLE.test(code) || isPortFailure(error, 'unavailable')) return new CopyFailure('DatabaseUnreachable', { reason }, cause);
  return new CopyFailure(otherwise, { reason }, cause);
};
