/** Clients of a flag server, in a process of their own. Orders arrive as messages, answers leave the same way. */
import http from 'node:http';
import net from 'node:net';

export interface Target {
  readonly port: number;
  readonly path: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}
export type Order =
  | { readonly kind: 'load'; readonly target: Target; readonly seconds: number }
  | { readonly kind: 'open'; readonly target: Target; readonly count: number }
  | { readonly kind: 'poll'; readonly target: Target; readonly count: number };
export interface Report {
  /** Answers per second, streams that are open, or the time at which the last client had the change. */
  readonly figure: number;
}

const CONNECTIONS = 32;
/** Each address of the machine opens fewer streams than the server allows for one. */
const STREAMS_OF_ADDRESS = 500;
const AT_ONCE = 100;
const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });

const ask = (
  { port, path, method = 'GET', headers = {}, body }: Target,
  more: Record<string, string> = {},
): Promise<http.IncomingMessage> =>
  new Promise((answered, failed) => {
    const request = http.request({ agent, host: '127.0.0.1', port, path, method, headers: { ...headers, ...more } }, (answer) => {
      answer.resume().once('end', () => answered(answer));
    });
    request.once('error', failed);
    request.end(body);
  });

const load = async (target: Target, seconds: number): Promise<number> => {
  const end = performance.now() + seconds * 1000;
  let count = 0;
  const worker = async () => {
    while (performance.now() < end) {
      const { statusCode } = await ask(target);
      if (statusCode !== 200) throw new Error(`${target.path} answered ${statusCode}`);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  return count / seconds;
};

/** Reports once every stream has its first event, and once more when each has another one. */
const open = async ({ port, path, headers = {} }: Target, count: number, report: (figure: number) => void): Promise<void> => {
  const seen = [0, 0];
  const text = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const connect = (at: number): Promise<void> =>
    new Promise((ready, failed) => {
      const localAddress = `127.0.0.${2 + Math.floor(at / STREAMS_OF_ADDRESS)}`;
      const socket = net.connect({ port, host: '127.0.0.1', localAddress }, () =>
        socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost:${port}\r\n${text.join('')}\r\n`),
      );
      let events = 0;
      let rest = '';
      socket.setEncoding('latin1').on('data', (part) => {
        const all = rest + String(part);
        const found = all.split('event: features').length - 1;
        rest = all.slice(-14);
        if (found === 0) return;
        const round = events;
        events += 1;
        seen[round] = (seen[round] ?? 0) + 1;
        if (round === 0) ready();
        if (round === 1 && seen[1] === count) report(Date.now());
      });
      socket.once('error', failed).once('close', () => failed(new Error('A stream was closed')));
    });
  for (let at = 0; at < count; at += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - at) }, (_, of) => connect(at + of)));
  report(seen[0] ?? 0);
};

/** Every client asks with the ETag that it has, until it is answered another one. */
const poll = async (target: Target, count: number): Promise<() => Promise<number>> => {
  const etag = String((await ask(target)).headers.etag);
  return async () => {
    let left = count;
    const worker = async () => {
      while (left > 0) {
        const { statusCode, headers } = await ask(target, { 'if-none-match': etag });
        if (statusCode === 200 && headers.etag !== etag) left -= 1;
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, worker));
    return Date.now();
  };
};

const report = (figure: number): void => void process.send?.({ figure } satisfies Report);
let polling: (() => Promise<number>) | undefined;
process.on('message', (order: Order | 'go') => {
  const work = async () => {
    if (order === 'go') report((await polling?.()) ?? 0);
    else if (order.kind === 'load') report(await load(order.target, order.seconds));
    else if (order.kind === 'open') await open(order.target, order.count, report);
    else {
      polling = await poll(order.target, order.count);
      report(order.count);
    }
  };
  void work().catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
