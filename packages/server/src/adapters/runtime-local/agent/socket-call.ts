/** HTTP requests on a Unix socket. */
import { request, type Agent, type IncomingMessage } from 'node:http';
import { hasCode } from '#kernel/caught.ts';

export interface SocketCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Keeps connections for further calls. Without one the call has a connection of its own. */
  readonly agent?: Agent | undefined;
}

/**
 * Answers as soon as the answer begins. A kept connection may have been closed just as the call was sent: then the call is made once more, on
 * a new one. Only for calls that may be repeated.
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
