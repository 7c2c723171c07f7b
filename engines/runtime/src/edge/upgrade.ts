/** Connects a client that asked for another protocol, such as WebSocket, to an instance. */
import type { IncomingMessage } from 'node:http';
import { pipeline, type Duplex } from 'node:stream';
import { isFit, reasonOf } from './answer.ts';
import { noInstance, type Admission, type EdgeService } from './edge-service.ts';
import { answerHeaders, requestHeaders } from './headers.ts';
import { INTERIM_ANSWERS } from './limits.ts';
import { endWith, noSoundAnswer, refusalOfError, type Refusal } from './problem.ts';

export interface Upgrading {
  readonly service: EdgeService;
  readonly admission: Admission;
  readonly request: IncomingMessage;
  readonly client: Duplex;
  /** Bytes that the client sent after its request. */
  readonly head: Buffer;
  /** Called with the response's status once the connection is established or refused. */
  readonly done: (status: number) => void;
}

export function upgrade(upgrading: Upgrading): void {
  const { admission, client, done, request, service } = upgrading;
  let isAnswered = false;
  const refuse = (refusal: Refusal): void => {
    if (isAnswered || client.destroyed) return;
    isAnswered = true;
    endWith(client, refusal);
    done(refusal.status);
  };
  const upstream = service.pick();
  if (!upstream) return refuse(noInstance);
  const { asked, caller, path, route } = admission;
  const prefix = route.stripBasePath ? route.basePath : undefined;
  const headers = requestHeaders(request, { asked, prefix, ...caller, isUpgrade: true });
  const sending = upstream.request({ method: request.method ?? 'GET', path, headers, isReusable: false });
  upstream.active++;
  client.once('close', () => {
    upstream.active--;
    sending.destroy();
    if (isAnswered) return;
    isAnswered = true;
    done(499);
  });
  const giveUp = (refusal: Refusal): void => {
    refuse(refusal);
    sending.destroy();
  };
  sending.setTimeout(route.readTimeoutMs, () => giveUp({ status: 504, detail: 'The service did not answer in time.' }));
  sending.once('upgrade', (answer, instance, firstBytes) => {
    if (isAnswered) return void instance.destroy();
    isAnswered = true;
    sending.setTimeout(0);
    instance.setTimeout(0);
    switchOver(upgrading, { answer, instance, firstBytes });
  });
  // The instance may respond in plain HTTP, such as with 400. The client must see that too.
  sending.once('response', (answer) => {
    if (isAnswered) return void answer.resume();
    if (!isFit(answer)) return giveUp(noSoundAnswer);
    isAnswered = true;
    done(answer.statusCode ?? 0);
    client.write(headOf(answer, [...plainHeaders(answer, asked.hostname), 'Connection', 'close']), 'latin1');
    pipeline(answer, client, () => {});
  });
  let interim = 0;
  sending.on('information', () => ++interim > INTERIM_ANSWERS && giveUp(noSoundAnswer));
  sending.on('error', (error: NodeJS.ErrnoException) => refuse(refusalOfError(error)));
  sending.end();
}

interface Switched {
  readonly answer: IncomingMessage;
  readonly instance: Duplex;
  readonly firstBytes: Buffer;
}

function switchOver({ admission, client, done, head }: Upgrading, { answer, firstBytes, instance }: Switched): void {
  done(101);
  const headers = answerHeaders(answer, admission.asked.hostname);
  client.write(headOf(answer, [...headers, 'Connection', 'Upgrade', 'Upgrade', answer.headers.upgrade ?? '']), 'latin1');
  if (firstBytes.length > 0) client.write(firstBytes);
  if (head.length > 0) instance.write(head);
  client.pipe(instance).pipe(client);
  client.on('error', () => instance.destroy());
  instance.on('error', () => client.destroy());
  client.once('close', () => instance.destroy());
  instance.once('close', () => client.destroy());
}

/** Returns the headers of a refused upgrade. The connection ends after it, since nothing would frame another response. */
function plainHeaders(answer: IncomingMessage, hostname: string): string[] {
  const length = answer.headers['content-length'];
  return [...answerHeaders(answer, hostname), ...(length === undefined ? [] : ['content-length', length])];
}

function headOf(answer: IncomingMessage, headers: readonly string[]): string {
  const lines: string[] = [`HTTP/1.1 ${answer.statusCode ?? 502} ${reasonOf(answer)}`];
  for (let index = 0; index < headers.length; index += 2) lines.push(`${headers[index]}: ${headers[index + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
