/** The whole platform for a test: a database of its own, the embedded adapters for real, and people who sign in without a browser. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { generalCodes, isErrorCode, type ErrorObject } from '@slipway/contract/kernel/errors.ts';
import { pathOf, queryString, type RouteShape } from '@slipway/contract/kernel/kernel.ts';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import type { EmbeddedIdentity } from '@slipway/identity/embedded-identity.ts';
import { memoryKeys } from '@slipway/identity/identity.fixture.ts';
import { newClaimsKey } from '@slipway/runtime/edge/auth/edge-tokens.ts';
import { createApp, type Adapters, type App, type AppOptions } from '#app.ts';
import type { DiskFloor } from '#kernel/disk-floor.ts';
import { createToken } from '#kernel/auth/api-token.ts';
import { createLog } from '#kernel/log.ts';
import { awaitRun } from '#modules/pipelines/index.ts';
import type { Logger } from 'pino';
import type { TokenScope } from '@slipway/contract/identity.ts';
import { embeddedSignIn } from '../choose-adapters.ts';
import { noteReached } from './reached.ts';
import { people, seedPeople, type Actor } from './actors.ts';
import { embeddedAdapters, type AdapterPlace } from './adapters.ts';
import { testDatabase, type TestDatabase } from './database.ts';
import { freePort } from '#testing/free-port.ts';
import { PATIENCE_MS } from '#testing/patience.ts';
import { testSignIn, type TestSignIn } from './test-authority.ts';

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}
export interface Request {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of a good token of the actor's own. */
  readonly token?: string;
}
export interface TestAppOptions {
  /** Without a worker nothing of a pipeline is carried out. */
  readonly isWorker?: boolean;
  readonly templates?: AppOptions['templates'];
  readonly runtimeTimings?: AppOptions['runtimeTimings'];
  readonly databaseTimings?: AppOptions['databaseTimings'];
  readonly scanTimings?: AppOptions['scanTimings'];
  readonly collector?: AppOptions['collector'];
  readonly traces?: AppOptions['traces'];
  readonly accountTimings?: AppOptions['accountTimings'];
  readonly topicTimings?: AppOptions['topicTimings'];
  readonly schemaTimings?: AppOptions['schemaTimings'];
  readonly streamingLinks?: AppOptions['streamingLinks'];
  readonly exportMetrics?: AppOptions['exportMetrics'];
  readonly patienceSeconds?: number;
  /** The embedded provider signs people in, as in the product, instead of the tests' own authority. */
  readonly hasIdentity?: boolean;
  /** Puts something between the platform and its engines: faults, say. */
  readonly adapt?: (adapters: Adapters) => Adapters;
  /** Instead of a clone of the run's own; migrated, and gone by `close()`. */
  readonly database?: TestDatabase;
  readonly log?: Logger;
  /** As `SLIPWAY_EGRESS_INSIDE`. */
  readonly egressInside?: readonly string[];
  readonly outgoing?: AdapterPlace['outgoing'];
  readonly mailer?: AdapterPlace['mailer'];
  /** Floor of free space on the engines' disk. Defaults to none. */
  readonly floor?: DiskFloor;
  readonly limits?: AppOptions['limits'];
}
export interface TestApp {
  readonly app: App;
  readonly url: string;
  readonly ingressPort: number;
  readonly dataDir: string;
  readonly database: TestDatabase;
  readonly adapters: Adapters;
  readonly signIn: TestSignIn;
  /** Embedded identity provider, or undefined without `hasIdentity`. */
  readonly identity: EmbeddedIdentity | undefined;
  /** Calls a route as somebody. A code that the route does not declare fails the test. */
  call(actor: Actor | undefined, route: RouteShape, request?: Request): Promise<Answer>;
  /** Calls a write that starts a pipeline, and waits for its end. */
  run(actor: Actor, route: RouteShape, request?: Request): Promise<PipelineRun>;
  ended(pipelineId: string): Promise<PipelineRun>;
  apiToken(actor: Actor, scopes: readonly TokenScope[], expiresAt?: Date): Promise<string>;
  /** Through the edge. Node does not resolve *.localhost (decisions §11). */
  get(url: string): Promise<{ status: number; text: string }>;
  /** The program ends and starts again, on the same database and data directory; `whileDown` comes in between. */
  restart(whileDown?: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** The status, then `field: code` for each error. */
export const errorsOf = ({ status, body }: Answer): (number | string)[] => [
  status,
  ...(body as ErrorObject).errors.map(({ field, code }) => `${field}: ${code}`),
];

/** Throws if the answer has an error code that the route does not declare. Such a code is a hole in the contract. */
const checkDeclared = (route: RouteShape, body: unknown): void => {
  for (const { code } of (body as ErrorObject).errors) {
    noteReached(code);
    if (!isErrorCode(code) || ![...route.codes, ...generalCodes].includes(code)) {
      throw new Error(`${route.id} answered ${code}, which it does not declare`);
    }
  }
};

const getThrough = (port: number, url: string): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const { host, pathname } = new URL(url);
    http
      .get({ host: '127.0.0.1', port, path: pathname, headers: { host }, agent: false }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => (text += part));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
      })
      .on('error', reject);
  });

const anybody = { id: 'tester', isAdministrator: true, memberOf: new Set<string>(), ownerOf: new Set<string>() };

/** Creates the parts that survive a restart. */
const openPlace = async (options: TestAppOptions) => {
  const database = options.database ?? (await testDatabase());
  const signIn = await testSignIn();
  await seedPeople(database.db);
  const [port, ingressPort] = [await freePort(), await freePort()];
  const dataDir = await mkdtemp(join(tmpdir(), 'slipway-app-'));
  // As root the databases of apps run as a user of their own.
  await chmod(dataDir, 0o711);
  return {
    database,
    dataDir,
    port,
    ingressPort,
    kafkaPorts: { development: await freePort(), production: await freePort() },
    url: `http://127.0.0.1:${port}`,
    signingKey: crypto.getRandomValues(new Uint8Array(32)),
    egressInside: options.egressInside,
    outgoing: options.outgoing,
    mailer: options.mailer,
    log: options.log ?? createLog(process.env['TEST_LOG'] ?? 'silent'),
    signIn,
    authority: { signIn, claimsKey: newClaimsKey() },
    ...(options.floor ? { floor: options.floor } : {}),
    platformKey: memoryKeys(),
  };
};
type Place = Awaited<ReturnType<typeof openPlace>>;

const signInOf = async ({ signIn, database, platformKey, url, log }: Place, hasIdentity: boolean) =>
  hasIdentity
    ? embeddedSignIn({ pool: database.pool, platformKey, publicUrl: url, isDemo: true, hasLocalUsers: false, log })
    : { signIn: signIn.adapter, identity: undefined };

const startApp = async (
  place: Place,
  {
    isWorker = true,
    hasIdentity = false,
    templates,
    runtimeTimings,
    databaseTimings,
    scanTimings,
    collector,
    traces,
    accountTimings,
    topicTimings,
    schemaTimings,
    streamingLinks,
    exportMetrics,
    patienceSeconds,
    limits,
    adapt = (adapters) => adapters,
  }: TestAppOptions,
) => {
  const { database, port, url, log } = place;
  const { signIn, identity } = await signInOf(place, hasIdentity);
  const embedded = await embeddedAdapters(place);
  const adapters = adapt({ ...embedded, mounts: [...embedded.mounts, ...(identity ? [identity.mount] : [])], signIn });
  const app = await createApp({
    database: { ...database, close: database.drop },
    connection: database.config,
    adapters,
    publicUrl: url,
    port: () => port,
    serviceUrl: `http://{service}.{app}.{env}.localhost:${place.ingressPort}`,
    roles: new Set(isWorker ? ['api', 'worker'] : ['api']),
    mode: 'development',
    replica: `test:${port}`,
    version: '0.0.0',
    log,
    isStrict: true,
    ...(limits ? { limits } : {}),
    ...(templates ? { templates } : {}),
    ...(runtimeTimings ? { runtimeTimings } : {}),
    ...(databaseTimings ? { databaseTimings } : {}),
    ...(scanTimings ? { scanTimings } : {}),
    ...(collector ? { collector } : {}),
    ...(traces ? { traces } : {}),
    ...(accountTimings ? { accountTimings } : {}),
    ...(topicTimings ? { topicTimings } : {}),
    ...(schemaTimings ? { schemaTimings } : {}),
    ...(streamingLinks ? { streamingLinks } : {}),
    ...(exportMetrics ? { exportMetrics } : {}),
    ...(patienceSeconds === undefined ? {} : { patienceSeconds }),
  });
  await app.server.listen({ port, host: '127.0.0.1' });
  await app.start();
  return { app, adapters, identity };
};

const bodyOf = async (route: RouteShape, answer: Response): Promise<unknown> => {
  if (route.stream === 'events' && answer.ok) return answer.body?.cancel();
  const text = await answer.text();
  return /^application\/([a-z-]+\+)?json/.test(answer.headers.get('content-type') ?? '') ? JSON.parse(text || 'null') : text;
};

const caller =
  ({ url, signIn }: Place): TestApp['call'] =>
  async (actor, route, { params, query, body, headers, token } = {}) => {
    const bearer = token ?? (actor && (await signIn.token(actor)));
    const answer = await fetch(`${url}${pathOf(route, params)}${queryString(query)}`, {
      method: route.method,
      headers: {
        ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const parsed = await bodyOf(route, answer);
    if (answer.headers.get('content-type')?.startsWith('application/problem+json')) checkDeclared(route, parsed);
    return { status: answer.status, body: parsed, headers: answer.headers };
  };

export const testApp = async (options: TestAppOptions = {}): Promise<TestApp> => {
  const place = await openPlace(options);
  const { database, dataDir, url, ingressPort, signIn } = place;
  let current = await startApp(place, options);
  const call = caller(place);
  const ended = async (pipelineId: string): Promise<PipelineRun> => {
    const run = await awaitRun(database.db, pipelineId, anybody, PATIENCE_MS);
    for (const { code, message } of run.status.steps) if (message) noteReached(`${code}.${message.code}`);
    return run;
  };
  return {
    get app() {
      return current.app;
    },
    get adapters() {
      return current.adapters;
    },
    get identity() {
      return current.identity;
    },
    url,
    ingressPort,
    dataDir,
    database,
    signIn,
    call,
    ended,
    async run(actor, route, request) {
      const started = await call(actor, route, request);
      expect(started, route.id).toMatchObject({ status: 202 });
      return ended((started.body as PipelineRun).pipelineId);
    },
    apiToken: async (actor, scopes, expiresAt = new Date(Date.now() + 3_600_000)) =>
      (await createToken(database.pool, { identityId: people[actor].id, name: 'test', scopes, expiresAt, parentId: undefined })).token,
    get: (address) => getThrough(ingressPort, address),
    async restart(whileDown) {
      current.identity?.close();
      await current.app.close();
      await whileDown?.();
      current = await startApp(place, options);
    },
    async close() {
      current.identity?.close();
      await current.app.close();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};
