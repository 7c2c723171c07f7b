// The errors that registry clients understand: a code of the OCI distribution specification with its HTTP status.

import { hasCode } from '@slipway/foundation/caught.ts';
import { isNoSpace } from '@slipway/foundation/no-space.ts';
import { isDatabaseOutage } from '@slipway/foundation/database-outage.ts';

export type RegistryErrorCode =
  | 'BLOB_UNKNOWN'
  | 'BLOB_UPLOAD_INVALID'
  | 'BLOB_UPLOAD_UNKNOWN'
  | 'DIGEST_INVALID'
  | 'MANIFEST_BLOB_UNKNOWN'
  | 'MANIFEST_INVALID'
  | 'MANIFEST_UNKNOWN'
  | 'NAME_INVALID'
  | 'NAME_UNKNOWN'
  | 'SIZE_INVALID'
  | 'UNAUTHORIZED'
  | 'DENIED'
  | 'UNSUPPORTED'
  | 'TOOMANYREQUESTS'
  | 'TAG_INVALID'
  | 'PAGINATION_NUMBER_INVALID'
  | 'PROJECTPOLICYVIOLATION'
  | 'UNKNOWN';

export class RegistryError extends Error {
  override readonly name = 'RegistryError';
  readonly status: number;
  readonly code: RegistryErrorCode;
  readonly headers: Readonly<Record<string, string>>;
  /** For programs. */
  readonly detail: Readonly<Record<string, string | number>> | undefined;

  constructor(
    status: number,
    code: RegistryErrorCode,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    detail?: Readonly<Record<string, string | number>>,
  ) {
    super(message);
    this.detail = detail;
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** True when a file is not there. */
export const isMissing = (error: unknown): boolean => hasCode(error, 'ENOENT');

/** PostgreSQL's foreign key violation: what the row belongs to was deleted meanwhile, or never was. */
const FOREIGN_KEY_VIOLATION = '23503';
export const isOrphan = (error: unknown): boolean => hasCode(error, FOREIGN_KEY_VIOLATION);

/** Turns what went wrong into an answer; undefined when it is our own fault and belongs in the log. */
export function asRegistryError(error: unknown): RegistryError | undefined {
  if (error instanceof RegistryError) return error;
  if (isNoSpace(error))
    return new RegistryError(507, 'UNKNOWN', 'the registry has no disk space left: nothing is taken until some is freed');
  if (isDatabaseOutage(error)) return new RegistryError(503, 'UNKNOWN', 'the database does not answer; try again', { 'Retry-After': '2' });
  if (isOrphan(error)) return new RegistryError(404, 'NAME_UNKNOWN', 'project or repository does not exist');
  return undefined;
}
