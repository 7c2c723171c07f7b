/**
 * One client connection. Serves requests one at a time, in order, like Kafka. Later requests wait in the socket meanwhile. An invalid
 * request closes the connection and is logged.
 */
import type { Socket } from 'node:net';
import type { AnyHandler, Caller, Users } from '../parts.ts';
import type { Api } from '../protocol/apis.ts';
import { readRequest, writeResponse } from '../protocol/codec.ts';
import { errors } from '../protocol/errors.ts';
import { MalformedRequest, Reader } from '../protocol/reader.ts';
import { Frames, type BufferRoom } from './frames.ts';
import { limits } from './limits.ts';
import { beginResponse, finishResponse, readHead, type RequestHead } from './request-head.ts';
import { SignIn } from './sign-in.ts';

/** The environment's parts that its connections use. */
export interface Served {
  readonly handlers: ReadonlyMap<Api, AnyHandler>;
  /** The answer to ApiVersions. */
  readonly offered: readonly { readonly apiKey: number; readonly minVersion: number; readonly maxVersion: number }[];
  readonly users: Users;
  readonly room: BufferRoom;
  now(): number;
  log(level: 'info' | 'warn' | 'error', message: string, detail?: Readonly<Record<string, unknown>>): void;
}
type Sent = Buffer[] | undefined;

const API_VERSIONS_MAX = 4;
const HANDSHAKE_MAX = 1;
const AUTHENTICATE_MAX = 2;
/** APIs that the connection handles itself. */
export const signInApis = [
  { api: 'ApiVersions', max: API_VERSIONS_MAX },
  { api: 'SaslHandshake', max: HANDSHAKE_MAX },
  { api: 'SaslAuthenticate', max: AUTHENTICATE_MAX },
] as const;

export class Connection {
  readonly host: string;
  readonly #socket: Socket;
  readonly #served: Served;
  readonly #frames: Frames;
  readonly #signIn: SignIn;
  readonly #closed = new AbortController();
  readonly #late: NodeJS.Timeout;
  readonly #onSignedIn: () => void;
  #isBusy = false;
  #isSignedIn = false;

  constructor(socket: Socket, host: string, served: Served, onSignedIn: () => void) {
    this.host = host;
    this.#socket = socket;
    this.#served = served;
    this.#onSignedIn = onSignedIn;
    this.#frames = new Frames(served.room, limits.unauthenticatedFrameBytes);
    this.#signIn = new SignIn(served.users, host, () => served.now());
    this.#late = setTimeout(() => this.#end('no sign-in in time'), limits.signInMs);
    socket.setNoDelay(true);
    socket.setTimeout(limits.idleMs, () => {
      if (!this.#isBusy) this.#end('idle');
    });
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('drain', () => this.#serveWaiting());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#clean());
  }

  get principal(): string | undefined {
    return this.#signIn.principal;
  }
  close(): void {
    this.#socket.destroy();
  }

  #clean(): void {
    clearTimeout(this.#late);
    this.#frames.clear();
    this.#closed.abort();
  }
  #end(reason: string, level: 'info' | 'warn' | 'error' = 'info'): void {
    this.#served.log(level, 'a connection is closed', { host: this.host, principal: this.principal, reason });
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    if (this.#socket.destroyed) return;
    try {
      this.#frames.push(chunk);
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#serveWaiting();
    if (this.#frames.bytes > limits.pausedBytes && this.#isHeld()) this.#socket.pause();
  }
  /** True while the previous answer is being made, or while the client does not read. */
  #isHeld(): boolean {
    return this.#isBusy || this.#socket.writableNeedDrain;
  }

  #serveWaiting(): void {
    try {
      while (!this.#socket.destroyed && !this.#socket.writableEnded && !this.#isHeld()) {
        const frame = this.#frames.next();
        if (frame === undefined) break;
        const sent = this.#serve(frame);
        if (sent instanceof Promise) this.#wait(sent);
        else this.#send(sent);
      }
      if (!this.#isHeld() && this.#socket.isPaused()) this.#socket.resume();
    } catch (error) {
      this.#fail(error);
    }
  }
  #wait(sent: Promise<Sent>): void {
    this.#isBusy = true;
    const goOn = (parts: Sent): void => {
      this.#isBusy = false;
      this.#send(parts);
      this.#serveWaiting();
    };
    sent.then(goOn).catch((error: unknown) => this.#fail(error));
  }
  #fail(error: unknown): void {
    if (error instanceof MalformedRequest) this.#end(error.message, 'warn');
    else this.#end(error instanceof Error ? (error.stack ?? error.message) : String(error), 'error');
  }

  #send(parts: Sent): void {
    if (parts === undefined || this.#socket.destroyed) return;
    this.#socket.cork();
    for (const part of parts) this.#socket.write(part);
    this.#socket.uncork();
  }

  #serve(frame: Buffer): Sent | Promise<Sent> {
    if (this.#signIn.isRaw) return this.#serveRaw(frame);
    const reader = new Reader(frame);
    const head = readHead(reader, (api, version) => this.#isOffered(api, version));
    if (head.api !== 'Produce' && frame.length > limits.requestBytes) throw new MalformedRequest(`${head.api} of ${frame.length} bytes`);
    switch (head.api) {
      case 'ApiVersions':
        return this.#apiVersions(head);
      case 'SaslHandshake': {
        const { body, isLast } = this.#signIn.handshake(readRequest('SaslHandshake', head.version, reader), head.version);
        return this.#answer(head, body, isLast);
      }
      case 'SaslAuthenticate':
        return this.#authenticate(head, reader);
      default:
        return this.#handle(head, reader);
    }
  }

  #isOffered(api: Api, version: number): boolean {
    const own = signInApis.find((one) => one.api === api);
    if (own) return version >= 0 && version <= own.max;
    const [min, max] = this.#served.handlers.get(api)?.versions ?? [0, -1];
    return version >= min && version <= max;
  }

  #apiVersions(head: RequestHead): Buffer[] {
    const isKnown = this.#isOffered('ApiVersions', head.version);
    const version = isKnown ? head.version : 0;
    const writer = beginResponse(head);
    const errorCode = isKnown ? errors.NONE : errors.UNSUPPORTED_VERSION;
    writeResponse(writer, 'ApiVersions', version, { errorCode, apiKeys: this.#served.offered });
    return finishResponse(writer);
  }

  async #authenticate(head: RequestHead, reader: Reader): Promise<Sent> {
    const { body, isLast } = await this.#signIn.authenticate(readRequest('SaslAuthenticate', head.version, reader));
    this.#noteSignIn();
    return this.#answer(head, body, isLast);
  }
  async #serveRaw(frame: Buffer): Promise<Sent> {
    const answer = await this.#signIn.raw(frame);
    if (answer === undefined) {
      this.#end('the sign-in was refused');
      return undefined;
    }
    this.#noteSignIn();
    const length = Buffer.alloc(4);
    length.writeInt32BE(answer.length);
    return [length, answer];
  }
  #noteSignIn(): void {
    if (this.#isSignedIn || this.principal === undefined) return;
    this.#isSignedIn = true;
    clearTimeout(this.#late);
    this.#frames.maxBytes = limits.frameBytes;
    this.#onSignedIn();
  }

  #answer(head: RequestHead, body: unknown, isLast = false): Sent {
    const writer = beginResponse(head);
    writeResponse(writer, head.api, head.version, body);
    const parts = finishResponse(writer);
    if (!isLast) return parts;
    this.#socket.end(Buffer.concat(parts));
    this.#served.log('info', 'a connection is closed', { host: this.host, reason: 'the sign-in was refused' });
    return undefined;
  }

  #handle(head: RequestHead, reader: Reader): Sent | Promise<Sent> {
    const { principal } = this;
    const handler = this.#served.handlers.get(head.api);
    if (principal === undefined || handler === undefined) throw new MalformedRequest(`${head.api} without a sign-in`);
    const caller: Caller = { principal, host: this.host, clientId: head.clientId, version: head.version, closed: this.#closed.signal };
    const answer = handler.handle(readRequest(head.api, head.version, reader), caller);
    if (answer instanceof Promise) return answer.then((body) => (body === undefined ? undefined : this.#answer(head, body)));
    return answer === undefined ? undefined : this.#answer(head, answer);
  }
}
