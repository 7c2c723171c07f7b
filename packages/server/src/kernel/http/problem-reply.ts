/** Error responses: the headers for each code, and raw responses outside the framework. */
import { STATUS_CODES, type ServerResponse } from 'node:http';
import { traceIdNow } from '#kernel/telemetry/tracing.ts';
import { type Problem, errorObject } from '#kernel/problem.ts';

export const PROBLEM_TYPE = 'application/problem+json';

/** Default Retry-After for unavailable dependencies, most of which recover soon. */
const AWAY_SECONDS = '2';

/** Returns headers that clients can act on without reading the text: allowed methods, and when to retry. */
export const problemHeaders = ({ errors, status }: Problem): Record<string, string> => {
  const { allow, seconds = status === 503 ? AWAY_SECONDS : undefined } = errors[0]?.context ?? {};
  return { ...(allow === undefined ? {} : { allow }), ...(seconds === undefined ? {} : { 'retry-after': seconds }) };
};

const rawHeaders = (problem: Problem, body: string): Record<string, string | number> => ({
  'content-type': PROBLEM_TYPE,
  'content-length': Buffer.byteLength(body),
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  ...problemHeaders(problem),
});

export const replyProblem = (response: ServerResponse, problem: Problem): void => {
  const body = JSON.stringify(errorObject(problem, traceIdNow()));
  response.writeHead(problem.status, rawHeaders(problem, body)).end(body);
};

/** The same for a request that could not be parsed. Only its connection exists, and it is closed. */
export const problemText = (problem: Problem): string => {
  const body = JSON.stringify(errorObject(problem, traceIdNow()));
  const headers = Object.entries({ ...rawHeaders(problem, body), connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${headers.join('')}\r\n${body}`;
};
