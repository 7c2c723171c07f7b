/**
 * Sends requests to user-supplied addresses. Each uses a new connection to a checked address, without proxies or redirects, with one
 * timeout and a limit on the body. All areas must use it for such addresses.
 */
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { errorCode, errorMessage } from '#kernel/caught.ts';
import { OutgoingPolicy, OutgoingRefused, type Address, type RefusalReason } from './outgoing-policy.ts';

export interface OutgoingRequest {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly skipCertificateVerification: boolean;
  /** Covers lookup, connecting and waiting for the response head. Also cuts off reading the body. */
  readonly timeoutMs: number;
  /** Maximum bytes of the response body to read. */
  readonly bodyBytes: number;
}
export type OutgoingFailure = RefusalReason | 'NOT_REACHED' | 'CERTIFICATE' | 'TIMEOUT' | 'BROKEN_ANSWER';
/** Milliseconds, null for phases that did not happen. */
export interface OutgoingTimings {
  readonly lookup: number | null;
  readonly connect: number | null;
  readonly tls: number | null;
  readonly firstByte: number | null;
  readonly total: number;
}
export interface OutgoingAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
  readonly isBodyCut: boolean;
}
export interface OutgoingResult {
  /** Undefined without a response. `failure` has the reason then. */
  readonly answer: OutgoingAnswer | undefined;
  readonly failure: OutgoingFailure | undefined;
  readonly address: string | null;
  readonly certificateUntil: Date | null;
  readonly timings: OutgoingTimings;
}

const MAX_HEADER_BYTES = 16 * 1024;
const timeout = Symbol('timeout');

/** Codes of OpenSSL and Node for untrusted certificates. */
const isCertificate = (code: string): boolean =>
  /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|INVALID_CA|HOSTNAME_MISMATCH)/.test(code);
const failureOf = (error: unknown): OutgoingFailure => {
  if (error === timeout) return 'TIMEOUT';
  if (error instanceof OutgoingRefused) return error.reason;
  const code = errorCode(error) ?? '';
  if (isCertificate(code)) return 'CERTIFICATE';
  return code.startsWith('HPE_') || code === 'ECONNRESET' || code === 'EPROTO' || errorMessage(error) === 'aborted'
    ? 'BROKEN_ANSWER'
    : 'NOT_REACHED';
};

/** Always returns the checked addresses, so that nothing can change them between check and connect. */
const pinned =
  (addresses: readonly Address[]): LookupFunction =>
  (_host, { all }, done) => {
    const [first] = addresses;
    if (all) done(null, [...addresses]);
    else done(null, first?.address ?? '', first?.family ?? 4);
  };

/** Timings and progress of one request. */
class Course {
  readonly #startedAt = performance.now();
  #lastAt = this.#startedAt;
  readonly #steps: { lookup: number | null; connect: number | null; tls: number | null; firstByte: number | null } = {
    lookup: null,
    connect: null,
    tls: null,
    firstByte: null,
  };
  address: string | null = null;
  certificateUntil: Date | null = null;

  passed(step: 'lookup' | 'connect' | 'tls' | 'firstByte'): void {
    const now = performance.now();
    this.#steps[step] = Math.round(now - this.#lastAt);
    this.#lastAt = now;
  }

  timings(): OutgoingTimings {
    return { ...this.#steps, total: Math.round(performance.now() - this.#startedAt) };
  }

  watch(socket: Socket, mayConnect: (address: string) => boolean): void {
    socket.once('connect', () => {
      this.passed('connect');
      this.address = socket.remoteAddress ?? null;
      if (!mayConnect(this.address ?? '')) socket.destroy(new OutgoingRefused('REFUSED_ADDRESS', 'the connection leads inside'));
    });
    socket.once('secureConnect', () => {
      this.passed('tls');
      if (!(socket instanceof TLSSocket)) return;
      const until = new Date(socket.getPeerCertificate().valid_to);
      this.certificateUntil = Number.isNaN(until.getTime()) ? null : until;
    });
  }
}

export interface Outgoing {
  /** Checks whether an address is allowed, when it is saved. Throws OutgoingRefused. */
  check(url: URL): Promise<void>;
  /** Never rejects: errors are returned as the result's `failure`. */
  send(request: OutgoingRequest): Promise<OutgoingResult>;
}

export class OutgoingClient implements Outgoing {
  readonly #policy: OutgoingPolicy;

  constructor(policy: OutgoingPolicy) {
    this.#policy = policy;
  }

  async check(url: URL): Promise<void> {
    await this.#policy.addresses(url);
  }

  async send(request: OutgoingRequest): Promise<OutgoingResult> {
    const course = new Course();
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(timeout), request.timeoutMs);
    try {
      const answer = await this.#ask(request, course, late.signal);
      return { answer, failure: undefined, ...seen(course) };
    } catch (error) {
      return { answer: undefined, failure: failureOf(late.signal.aborted ? late.signal.reason : error), ...seen(course) };
    } finally {
      clearTimeout(timer);
    }
  }

  async #ask(request: OutgoingRequest, course: Course, signal: AbortSignal): Promise<OutgoingAnswer> {
    const { url } = request;
    const addresses = await orAborted(this.#policy.addresses(url), signal);
    course.passed('lookup');
    return new Promise((resolve, reject) => {
      const asking = (url.protocol === 'https:' ? https : http).request(url, { ...optionsOf(request), lookup: pinned(addresses), signal });
      asking.once('socket', (socket) => course.watch(socket, (address) => this.#policy.mayConnect(url, address)));
      asking.once('error', reject);
      asking.once('upgrade', (_answer, socket) => {
        socket.destroy();
        reject(new Error('aborted'));
      });
      asking.once('response', (answer) => {
        course.passed('firstByte');
        // From here on the request has a response, however it ends.
        asking.off('error', reject).on('error', () => {});
        void readSome(answer, request.bodyBytes).then(({ body, isCut }) => {
          asking.destroy();
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body, isBodyCut: isCut });
        });
      });
      asking.end(request.body);
    });
  }
}

const seen = (course: Course) => ({ address: course.address, certificateUntil: course.certificateUntil, timings: course.timings() });

const orAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  Promise.race([
    work,
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })),
  ]);

const optionsOf = ({ url, method, headers, body, skipCertificateVerification }: OutgoingRequest): https.RequestOptions => ({
  method,
  headers: { ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' },
  // Uses a new connection and ignores proxies of the environment, so that the connection goes to the checked address.
  agent: url.protocol === 'https:' ? new https.Agent({ keepAlive: false }) : new http.Agent({ keepAlive: false }),
  maxHeaderSize: MAX_HEADER_BYTES,
  insecureHTTPParser: false,
  rejectUnauthorized: !skipCertificateVerification,
  ...(isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0 ? { servername: url.hostname } : {}),
});

/** Reads the start of the body. A body that breaks off or takes too long is cut, because only the status matters. */
const readSome = async (answer: http.IncomingMessage, bytes: number): Promise<{ body: Buffer; isCut: boolean }> => {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of answer as AsyncIterable<Buffer>) {
      parts.push(part);
      size += part.length;
      if (size > bytes) break;
    }
  } catch {
    return { body: Buffer.concat(parts).subarray(0, bytes), isCut: true };
  }
  return { body: Buffer.concat(parts).subarray(0, bytes), isCut: size > bytes };
};
