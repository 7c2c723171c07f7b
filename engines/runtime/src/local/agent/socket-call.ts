/** HTTP requests on a Unix socket. */
import { request, type Agent, type IncomingMessage } from 'node:http';
import { hasCode } from '@slipway/foundation/caught.ts';

export interface SocketCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Keeps connections for further calls. Without an agent, each call has its own connection. */
  readonly agent?: Agent | undefined;
}

/**
 * Resolves when the response headers arrive. A kept connection may close just as the call is sent. The call is then retried once on a new
 * connection, so calls must be idempotent.
 */
export async function callSocket(socketPath: string, call: SocketCall): Promise<IncomingMessage> {
  const { agent = false, body, headers: more, method, path, signal } = call;
  return new Promise((resolve, reject) => {
    const content = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const headers = { ...more, ...content };
    const asking = request({ socketPath, method, path, headers, signal, agent });
    asking.once('response', resolve);
    let isAnswered = false;
    asking.once('response', () => (isAnswered = true));
    asking.on('error', (error) => {
      const isStale = agent !== false && asking.reusedSocket && !isAnswered && hasCode(error, 'ECONNRESET', 'EPIPE') && !signal.aborted;
      if (isStale) resolve(callSocket(socketPath, { ...call, agent: undefined }));
      else reject(error);
    });
    asking.end(body);
  });
}

export async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
