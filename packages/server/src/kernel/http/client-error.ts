/** Responds to requests that Node's parser rejects: unknown methods, oversized headers and malformed input. */
import type { Socket } from 'node:net';
import { Problem } from '#kernel/problem.ts';
import { type KnownPaths, strangeRequest } from './known-paths.ts';
import { problemText } from './problem-reply.ts';

interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/** `methods`: the methods that the path accepts, or undefined if no route has the path. */
export const methodProblem = (method: string, methods: readonly string[] | undefined): Problem | undefined => {
  if (methods === undefined) return new Problem('MISSING_RESOURCE');
  return methods.includes(method) ? undefined : new Problem('MethodNotAllowed', { context: { method, allow: methods.join(', ') } });
};

const problemOf = ({ code, rawPacket }: ParserError, paths: KnownPaths): Problem => {
  if (code === 'HPE_HEADER_OVERFLOW') return new Problem('HeadersTooLarge');
  const strange = code === 'HPE_INVALID_METHOD' ? strangeRequest(rawPacket) : undefined;
  return (strange && methodProblem(strange.method, paths.methodsOf(strange.target))) ?? new Problem('RequestInvalid');
};

export const answerClientError = (error: ParserError, socket: Socket, paths: KnownPaths): void => {
  if (error.code === 'ECONNRESET' || error.code === 'ERR_HTTP_REQUEST_TIMEOUT' || !socket.writable) return void socket.destroy();
  socket.end(problemText(problemOf(error, paths)), () => socket.destroy());
};
