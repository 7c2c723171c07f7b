/** Connects a client that asked for another protocol, such as WebSocket, with an instance. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { noInstance, type Admission, type EdgeService } from './edge-service.ts';
import { requestHeaders, responseHeaders } from './headers.ts';
import { isStatus, noAnswer, refuseUpgrade } from './problem.ts';

/** Calls `done` with the answer's status once the connection is established or refused. */
export function upgrade(
  service: EdgeService,
  admission: Admission,
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
  done: (status: number) => void,
): void {
  const upstream = service.pick();
  if (!upstream) {
    refuseUpgrade(client, noInstance);
    return done(noInstance.status);
  }
  const { path, route, caller } = admission;
  const sending = httpRequest({
    agent: false,
    host: '127.0.0.1',
    port: upstream.port,
    method: request.method ?? 'GET',
    path,
    setHost: false,
    headers: requestHeaders(request, { prefix: route.stripBasePath ? route.basePath : undefined, ...caller, isUpgrade: true }),
  });
  upstream.active++;
  client.once('close', () => {
    upstream.active--;
    sending.destroy();
  });
  sending.setTimeout(route.readTimeoutMs, () => sending.destroy(new Error('timeout')));
  sending.once('upgrade', (answer, instance, firstBytes) => {
    done(101);
    sending.setTimeout(0);
    instance.setTimeout(0);
    client.write(headOf(answer, true));
    if (firstBytes.length > 0) client.write(firstBytes);
    if (head.length > 0) instance.write(head);
    join(client, instance);
  });
  // The instance answers in plain HTTP, such as with 400: the client must see that, too.
  sending.once('response', (answer) => {
    if (!isStatus(answer.statusCode)) return sending.destroy(new Error('no status'));
    done(answer.statusCode);
    client.write(headOf(answer, false));
    answer.pipe(client);
  });
  sending.once('error', (error) => {
    const refusal = error.message === 'timeout' ? { status: 504, detail: 'The service did not answer in time.' } : noAnswer;
    refuseUpgrade(client, refusal);
    done(refusal.status);
  });
  sending.end();
}

function join(client: Duplex, instance: Duplex): void {
  client.pipe(instance).pipe(client);
  client.on('error', () => instance.destroy());
  instance.on('error', () => client.destroy());
  client.once('close', () => instance.destroy());
  instance.once('close', () => client.destroy());
}

/** A refused upgrade ends the connection, since nobody would frame a further answer on it. */
function headOf(answer: IncomingMessage, isUpgrade: boolean): string {
  const headers = responseHeaders(answer);
  if (isUpgrade) headers.push('Connection', 'Upgrade', 'Upgrade', answer.headers.upgrade ?? '');
  else headers.push('Connection', 'close');
  const lines: string[] = [`HTTP/1.1 ${answer.statusCode ?? 502} ${answer.statusMessage ?? ''}`];
  for (let index = 0; index < headers.length; index += 2) lines.push(`${headers[index]}: ${headers[index + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
