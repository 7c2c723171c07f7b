/** Distinguishes transient database outages from errors that a retry would repeat. */
import { errorCode } from './caught.ts';

/** SQLSTATE classes: connection exceptions (08) and insufficient resources (53), for example disk or connections. */
const PASSING_CLASS = /^(08|53)[0-9A-Z]{3}$/;
/** PostgreSQL shuts down, crashed, is starting, or ended an idle session. */
const PASSING = new Set(['57P01', '57P02', '57P03', '57P05', '25P03']);
/** Socket errors. ENOENT means that the embedded PostgreSQL's socket is missing while it restarts. */
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
  // Every address of the host name failed.
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isDatabaseOutage);
  if (!(error instanceof Error)) return false;
  const code = errorCode(error) ?? '';
  const syscall = 'syscall' in error ? String(error.syscall) : '';
  return PASSING_CLASS.test(code) || PASSING.has(code) || (UNREACHABLE.has(code) && CALLS.has(syscall)) || TEXT.test(error.message);
}

/** Statement or lock timeouts. A retry may be faster; a statement that always times out is a bug. */
const TIMED_OUT = new Set(['57014', '55P03']);
export const isStatementTimeout = (error: unknown): boolean => TIMED_OUT.has(errorCode(error) ?? '');
