/** The runtime under test with helpers: services of the sample program, requests, and polling. */
import { request, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { PATIENCE_MS } from '../testing/patience.ts';
import type { InstanceEvent, InstanceView, RevisionSpec, Runtime, RuntimeLack, ServiceRef, ServiceRoute } from './runtime.ts';

export interface RuntimeSubject {
  readonly runtime: Runtime;
  /** Image with `SAMPLE_PROGRAM`. */
  readonly image: RevisionSpec['image'];
  readonly tokens: SuiteTokens;
  /** A host of this machine with a free port, which an administrator allows services to list. */
  readonly inside: string;
  /** Whether the engine counts in whole seconds and rounds up. */
  readonly hasWholeSeconds?: boolean;
  close(): Promise<void>;
}
/** The sign-in authority whose tokens the edge accepts, and the claims the edge derives from them. */
export interface SuiteTokens {
  token(claims: SuiteClaims): Promise<string>;
  /** Verifies the edge's claims like a service, for the audience and with the published keys, and returns them. */
  claims(jwt: string, audience: string): Promise<Readonly<Record<string, unknown>>>;
}
export interface SuiteClaims {
  readonly audience: string | string[];
  readonly issuer?: string;
  /** Seconds from now. Defaults to an hour. */
  readonly lifetimeSeconds?: number;
  /** Names the right issuer but is signed with another key. */
  readonly isForged?: boolean;
}
/** Audience of the platform's own tokens, which cannot call services. */
export const SUITE_PLATFORM_AUDIENCE = 'urn:slipway:api';

export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}
export interface CallOptions {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  readonly host?: string;
}

export const quickHealth: RevisionSpec['health'] = {
  type: 'http',
  http: { port: 8080, path: '/healthz' },
  initialDelaySeconds: 0,
  periodSeconds: 0.1,
  timeoutSeconds: 1,
  successThreshold: 1,
  failureThreshold: 2,
};

const openRoute: Omit<ServiceRoute, 'revisions'> = {
  domain: undefined,
  basePath: '',
  stripBasePath: false,
  connectionTimeoutMs: 1000,
  readTimeoutMs: 3000,
  writeTimeoutMs: 3000,
  requestSizeLimitMb: 1,
  spikeArrestPerMinute: 0,
  excludePathPrefixes: [],
  authentication: { type: 'NO_AUTH' },
};

export class SuiteRuntime {
  readonly runtime: Runtime;
  readonly tokens: SuiteTokens;
  readonly inside: string;
  readonly events: InstanceEvent[] = [];
  readonly #subject: RuntimeSubject;
  #services = 0;

  constructor(subject: RuntimeSubject) {
    this.#subject = subject;
    this.runtime = subject.runtime;
    this.tokens = subject.tokens;
    this.inside = subject.inside;
    this.runtime.onEvent((event) => this.events.push(event));
  }

  async close(): Promise<void> {
    await this.runtime.close();
    await this.#subject.close();
  }

  async lacks(lack: RuntimeLack): Promise<boolean> {
    return (await this.runtime.capabilities()).lacks?.includes(lack) ?? false;
  }

  /** Returns the duration that the engine makes of a setting. */
  seconds(set: number): number {
    return this.#subject.hasWholeSeconds ? Math.ceil(set) : set;
  }

  /** Creates a separate service for each test. */
  service(): SuiteService {
    const service = `shop-${++this.#services}`;
    return new SuiteService(this, this.#subject.image, { app: 'shop', environment: 'development', service });
  }
}

export class SuiteService {
  readonly ref: ServiceRef;
  readonly #suite: SuiteRuntime;
  readonly #image: RevisionSpec['image'];

  constructor(suite: SuiteRuntime, image: RevisionSpec['image'], ref: ServiceRef) {
    this.#suite = suite;
    this.#image = image;
    this.ref = ref;
  }

  get url(): string {
    return this.#suite.runtime.url(this.ref, '');
  }

  revision(number: number): string {
    return `${this.ref.service}-${number}`;
  }

  spec(number: number, change: Partial<RevisionSpec> = {}): RevisionSpec {
    return {
      ...this.ref,
      revision: this.revision(number),
      id: `row of ${this.revision(number)}`,
      image: this.#image,
      files: [],
      exposedPort: 8080,
      health: quickHealth,
      cpuMillicores: 1000,
      memoryMegabytes: 256,
      replicas: 1,
      stopGraceSeconds: 3,
      ...change,
      env: { VERSION: String(number), ...change.env },
    };
  }

  async ensure(number: number, change: Partial<RevisionSpec> = {}): Promise<void> {
    await this.#suite.runtime.ensureRevision(this.spec(number, change));
  }

  async delete(number: number): Promise<void> {
    await this.#suite.runtime.deleteRevision({ ...this.ref, revision: this.revision(number) });
  }

  async route(numbers: readonly number[], change: Partial<ServiceRoute> = {}): Promise<void> {
    await this.#suite.runtime.setRoute(this.ref, { ...openRoute, revisions: numbers.map((number) => this.revision(number)), ...change });
  }

  /** Creates one ready instance of revision 1 with a route. */
  async serve(change: Partial<RevisionSpec> = {}, route: Partial<ServiceRoute> = {}): Promise<InstanceView> {
    await this.ensure(1, change);
    await this.route([1], route);
    const [instance] = await this.ready(1, change.replicas ?? 1);
    return instance!;
  }

  async instances(number?: number): Promise<readonly InstanceView[]> {
    const all = await this.#suite.runtime.list();
    return all.filter(
      ({ revision, service }) => service === this.ref.service && (number === undefined || revision === this.revision(number)),
    );
  }

  async ready(number: number, count: number): Promise<readonly InstanceView[]> {
    return until(`${count} ready instances of ${this.revision(number)}`, async () => {
      const instances = await this.instances(number);
      return instances.length === count && instances.every(({ state }) => state === 'READY') ? instances : undefined;
    });
  }

  async event(code: InstanceEvent['code'], count = 1): Promise<InstanceEvent> {
    return until(`event ${code} of ${this.ref.service}`, async () => this.events(code)[count - 1]);
  }

  events(code?: InstanceEvent['code']): readonly InstanceEvent[] {
    return this.#suite.events.filter((event) => event.service === this.ref.service && (code === undefined || event.code === code));
  }

  async call(path: string, options: CallOptions = {}): Promise<Answer> {
    return call(new URL(path, this.url), options);
  }
}

/** Unlike browsers, Node does not resolve names below `localhost`. */
export async function call(url: URL, { body, headers, host, method }: CallOptions = {}): Promise<Answer> {
  const hostname = url.hostname.endsWith('.localhost') ? '127.0.0.1' : url.hostname;
  return new Promise((resolve, reject) => {
    const sending = request(
      {
        hostname,
        port: url.port,
        path: url.pathname + url.search,
        method: method ?? 'GET',
        agent: false,
        headers: { host: host ?? url.host, ...headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString(), headers: response.headers }),
        );
      },
    );
    sending.on('error', reject);
    sending.end(body);
  });
}

/** Returns everything received on a connection that requests an upgrade and then sends `hello`, which the sample program echoes. */
export async function upgraded(service: SuiteService, path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const { host, port } = new URL(service.url);
  const lines = [`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: Upgrade', 'Upgrade: echo'];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect({ host: '127.0.0.1', port: Number(port) });
    socket.on('connect', () => socket.write(`${lines.join('\r\n')}\r\n\r\n`));
    socket.on('data', (chunk) => {
      const isFirst = received === '';
      received += String(chunk);
      if (isFirst && received.includes(' 101 ')) socket.write('hello');
      if (received.endsWith('hello')) socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
  });
}

/** Polls until `look` returns a value. Fails with `what` on timeout. */
export async function until<T>(what: string, look: () => Promise<T | undefined | false>, timeoutMs = PATIENCE_MS): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    await delay(20);
  }
  throw new Error(`Waited without success for ${what}`);
}
