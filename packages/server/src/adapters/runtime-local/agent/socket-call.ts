/** HTTP requests on a Unix socket. */
import { request, type IncomingMessage } from 'node:http';

export interface SocketCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Answers as soon as the answer begins. Each call has a connection of its own: none is found broken by the next. */
export async function callSocket(socketPath: string, { body, headers: more, method, path, signal }: SocketCall): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const content = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const headers = { ...more, ...content };
    const asking = request({ socketPath, method, path, headers, signal, agent: false });
    asking.once('response', resolve);
    asking.on('error', reject);
    asking.end(body);
  });
}

export async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
