/** Requests as no client library would send them: the bytes are the test's own. */
import { once } from 'node:events';
import net from 'node:net';
import type { ErrorObject } from '@slipway/contract/kernel/errors.ts';
import { noteReached } from './reached.ts';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export const portOf = (url: string): number => Number(new URL(url).port);

const parsed = (answer: string): RawAnswer => {
  const [head = '', ...rest] = answer.split('\r\n\r\n');
  const [line = '', ...lines] = head.split('\r\n');
  const headers = new Headers(
    lines.map((one): [string, string] => [one.slice(0, one.indexOf(':')), one.slice(one.indexOf(':') + 1).trim()]),
  );
  return { status: Number(line.split(' ')[1] ?? 0), headers, text: rest.join('\r\n\r\n') };
};

/** Opens a connection, from another address of loopback where that is said, and sends the bytes. */
export const connect = (url: string, bytes: string | Buffer = '', localAddress?: string): net.Socket => {
  const socket = net.connect({ port: portOf(url), host: '127.0.0.1', ...(localAddress === undefined ? {} : { localAddress }) });
  socket.on('error', () => undefined);
  if (bytes.length > 0) socket.write(bytes);
  return socket;
};

/** The head of a request to the platform; without a body it ends the connection. */
export const head = (url: string, line: string, headers: Readonly<Record<string, string>> = {}): string =>
  [`${line} HTTP/1.1`, `host: ${new URL(url).host}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), '', ''].join(
    '\r\n',
  );

/** However it ends: a connection that is cut off may be reset. */
export const closed = (socket: net.Socket): Promise<void> => new Promise((resolve) => socket.once('close', () => resolve()));

/** The whole answer to bytes that end in `connection: close`. */
export const exchange = async (url: string, bytes: string | Buffer): Promise<RawAnswer> => {
  const socket = connect(url, bytes);
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => (text += part));
  await closed(socket);
  return parsed(text);
};

/** The first answer on a connection that stays open. */
export const firstAnswer = async (socket: net.Socket): Promise<RawAnswer> => parsed(String((await once(socket, 'data'))[0]));

/** The codes of an error; each counts as reached. */
export const codesIn = ({ text }: { text: string }): string[] => {
  const codes = (JSON.parse(text) as ErrorObject).errors.map(({ code }) => code);
  for (const code of codes) noteReached(code);
  return codes;
};
