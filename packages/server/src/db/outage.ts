/** Tells errors of a database that is away, and will be back, from those that a second try would only repeat. */
import { errorCode } from '#kernel/caught.ts';

/** Classes of SQLSTATE: connection exceptions (08), and resources that are used up, the disk or connections for example (53). */
const PASSING_CLASS = /^(08|53)[0-9A-Z]{3}$/;
/** PostgreSQL shuts down, crashed, starts, or ended a session that sat idle. */
const PASSING = new Set(['57P01', '57P02', '57P03', '57P05', '25P03']);
/** The socket's codes; ENOENT is the embedded PostgreSQL's socket while it restarts. */
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ENOENT',
  'EPIPE',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'ENOTFOUND',
]);
const CALLS = new Set(['connect', 'read', 'write', 'getaddrinfo']);
const TEXT =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed and is not queryable|Query read timeout/;

export function isDatabaseOutage(error: unknown): boolean {
  // Every address of a name refused.
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isDatabaseOutage);
  if (!(error instanceof Error)) return false;
  const code = errorCode(error) ?? '';
  const syscall = 'syscall' in error ? String(error.syscall) : '';
  return PASSING_CLASS.test(code) || PASSING.has(code) || (UNREACHABLE.has(code) && CALLS.has(syscall)) || TEXT.test(error.message);
}

/** A statement that waited for a lock, or worked, longer than it may. Another try may be quicker; one that never is, is a fault to look into. */
const TIMED_OUT = new Set(['57014', '55P03']);
export const isStatementTimeout = (error: unknown): boolean => TIMED_OUT.has(errorCode(error) ?? '');
