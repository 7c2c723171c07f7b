/** A client that sends one raw request at a time, for requests that no client library sends. */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import net from 'node:net';
import { apiTables, type Api, type Request, type Response } from './protocol/apis.ts';
import { isFlexible, readResponse, writeRequest } from './protocol/codec.ts';
import { Reader } from './protocol/reader.ts';
import { sample } from './protocol/sample.fixture.ts';
import { Writer } from './protocol/writer.ts';

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha512', key).update(text).digest();

export class RawClient {
  readonly socket: net.Socket;
  readonly closed: Promise<void>;
  #received = Buffer.alloc(0);
  #waiting: ((frame: Buffer | undefined) => void)[] = [];
  #correlationId = 0;

  constructor(port: number) {
    this.socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    this.socket.on('error', () => {});
    this.closed = new Promise((resolve) => {
      this.socket.on('close', () => {
        for (const waiting of this.#waiting) waiting(undefined);
        this.#waiting = [];
        resolve();
      });
    });
  }

  static async signedIn(port: number, name: string, password: string): Promise<RawClient> {
    const client = new RawClient(port);
    await client.signIn(name, password);
    return client;
  }

  #receive(chunk: Buffer): void {
    this.#received = Buffer.concat([this.#received, chunk]);
    while (this.#received.length >= 4) {
      const length = this.#received.readInt32BE();
      if (this.#received.length < length + 4) return;
      this.#waiting.shift()?.(this.#received.subarray(4, length + 4));
      this.#received = this.#received.subarray(length + 4);
    }
  }

  frame(body: Buffer): void {
    const length = Buffer.alloc(4);
    length.writeInt32BE(body.length);
    this.socket.write(Buffer.concat([length, body]));
  }
  answer(): Promise<Buffer | undefined> {
    return this.socket.destroyed ? Promise.resolve(undefined) : new Promise((resolve) => this.#waiting.push(resolve));
  }

  send<A extends Api>(api: A, version: number, request: Partial<Request<A>>): void {
    const writer = this.#head(api, version);
    writeRequest(writer, api, version, request);
    this.frame(Buffer.concat(writer.finish()));
  }
  /** Sends a request with a value in every field, valid or not. */
  sendSample(api: Api, version: number): void {
    const writer = this.#head(api, version);
    writeRequest(writer, api, version, sample(apiTables[api].request, version));
    this.frame(Buffer.concat(writer.finish()));
  }
  sendBytes(api: Api, version: number, body: Buffer): void {
    this.frame(Buffer.concat([...this.#head(api, version).finish(), body]));
  }
  #head(api: Api, version: number): Writer {
    const writer = new Writer();
    writer.int16(apiTables[api].key);
    writer.int16(version);
    this.#correlationId += 1;
    writer.int32(this.#correlationId);
    writer.string('raw', false);
    if (isFlexible(api, version)) writer.varint(0);
    return writer;
  }

  /** Returns undefined if the connection closed instead. */
  async call<A extends Api>(api: A, version: number, request: Partial<Request<A>>): Promise<Response<A> | undefined> {
    this.send(api, version, request);
    const frame = await this.answer();
    if (frame === undefined) return undefined;
    const reader = new Reader(frame);
    reader.int32();
    if (isFlexible(api, version) && api !== 'ApiVersions') reader.varint();
    return readResponse(api, version, reader);
  }

  /** Signs in with SCRAM-SHA-512. Returns Kafka's error code. */
  async signIn(name: string, password: string): Promise<number> {
    await this.call('SaslHandshake', 1, { mechanism: 'SCRAM-SHA-512' });
    const bare = `n=${name},r=${randomBytes(12).toString('hex')}`;
    const first = await this.call('SaslAuthenticate', 2, { authBytes: Buffer.from(`n,,${bare}`) });
    if (first === undefined || first.errorCode !== 0) return first?.errorCode ?? -1;
    const challenge = String(first.authBytes);
    const [, nonce = '', salt = '', iterations = ''] = /^r=([^,]*),s=([^,]*),i=(\d+)/.exec(challenge) ?? [];
    const salted = pbkdf2Sync(password, Buffer.from(salt, 'base64'), Number(iterations), 64, 'sha512');
    const clientKey = hmac(salted, 'Client Key');
    const plain = `c=biws,r=${nonce}`;
    const signature = hmac(createHash('sha512').update(clientKey).digest(), `${bare},${challenge},${plain}`);
    const proof = clientKey.map((byte, index) => byte ^ (signature[index] ?? 0));
    const last = await this.call('SaslAuthenticate', 2, { authBytes: Buffer.from(`${plain},p=${Buffer.from(proof).toString('base64')}`) });
    return last?.errorCode ?? -1;
  }

  close(): void {
    this.socket.destroy();
  }
}
