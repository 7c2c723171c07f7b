/** The whole platform for a test: a database of its own, the embedded adapters for real, and people who sign in without a browser. */
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, createLocalJWKSet, generateKeyPair, SignJWT } from 'jose';
import { isErrorCode, generalCodes, type ErrorObject } from '@slipway/contract/errors.ts';
import { pathOf, queryString, type RouteShape } from '@slipway/contract/kernel.ts';
import { LocalBuilder } from '#adapters/builder-local/local-builder.ts';
import { ImageStore } from '#adapters/oci/image-store.ts';
import { OciClient } from '#adapters/oci/oci-client.ts';
import { EmbeddedRegistry } from '#adapters/registry-embedded/embedded-registry.ts';
import { LocalRuntime } from '#adapters/runtime-local/local-runtime.ts';
import { detectSandbox } from '#adapters/sandbox/detect-sandbox.ts';
import { EmbeddedSource } from '#adapters/source-embedded/embedded-source.ts';
import { createApp, type Adapters, type App } from '#app.ts';
import { createLog } from '#kernel/log.ts';
import { gitAccess, registryAccess } from '../engine-access.ts';
import { people, seedPeople, type Actor } from './actors.ts';
import { testDatabase, type TestDatabase } from './database.ts';

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}
export interface Request {
  readonly params?: Record<string, string>;
  readonly query?: Record<string, unknown>;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}
export interface TestApp {
  readonly app: App;
  readonly url: string;
  readonly ingressPort: number;
  readonly database: TestDatabase;
  readonly adapters: Adapters;
  /** Calls a route as somebody. A code that the route does not declare fails the test. */
  call(actor: Actor | undefined, route: RouteShape, request?: Request): Promise<Answer>;
  token(actor: Actor): Promise<string>;
  close(): Promise<void>;
}

export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });

const issuer = 'https://sign-in.test/slipway';
const audience = 'urn:slipway:api';

const signer = async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const keys = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256', kid: 'test' }] });
  const sign = (actor: Actor, claims: { expiresAt?: string; audience?: string } = {}): Promise<string> =>
    new SignJWT({ name: people[actor].name })
      .setProtectedHeader({ alg: 'ES256', kid: 'test', typ: 'at+jwt' })
      .setSubject(people[actor].id)
      .setIssuer(issuer)
      .setAudience(claims.audience ?? audience)
      .setIssuedAt()
      .setExpirationTime(claims.expiresAt ?? '1h')
      .sign(privateKey);
  return { keys, sign };
};

/** What the route may answer is declared; anything else is a hole in the contract. */
const checkDeclared = (route: RouteShape, body: unknown): void => {
  for (const { code } of (body as ErrorObject).errors) {
    if (!isErrorCode(code) || ![...route.codes, ...generalCodes, 'NotAMember', 'NotAnOwner', 'NotAnAdministrator'].includes(code)) {
      throw new Error(`${route.id} answered ${code}, which it does not declare`);
    }
  }
};

export const testApp = async ({ isWorker = true }: { isWorker?: boolean } = {}): Promise<TestApp> => {
  const database = await testDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'slipway-app-'));
  const [port, ingressPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const log = createLog(process.env['TEST_LOG'] ?? 'silent');
  const { keys, sign } = await signer();
  const sandbox = await detectSandbox();
  const registry = new EmbeddedRegistry({
    pool: database.pool,
    dataDir: join(dataDir, 'registry'),
    publicUrl: url,
    baseUrl: url,
    signingKey: crypto.getRandomValues(new Uint8Array(32)),
    authenticate: registryAccess(database as never),
    log,
  });
  const client = new OciClient({ baseUrl: url, authorize: (repository, actions) => registry.accessToken(repository, actions) });
  const adapters: Adapters = {
    registry,
    source: new EmbeddedSource({ dataDir: join(dataDir, 'git'), publicUrl: url, authenticate: gitAccess(database as never), log }),
    runtime: new LocalRuntime({
      dataDir: join(dataDir, 'runtime'),
      ingressPort,
      ingressHost: '127.0.0.1',
      images: new ImageStore({ directory: join(dataDir, 'images'), client, log }),
      sandbox,
      log,
    }),
    builder: new LocalBuilder({ dataDir: join(dataDir, 'builds'), registry, sandbox, log, isSandboxRequired: false }),
    mounts: [],
    signIn: { authority: issuer, clientId: 'slipway-console', audience, issuer, keys, provider: 'AZURE_AD' },
  };
  await seedPeople(database.db);
  const app = await createApp({
    database: database as never,
    connection: database.config,
    adapters,
    publicUrl: url,
    port: () => port,
    serviceUrl: `http://{service}.{app}.{env}.localhost:${ingressPort}`,
    roles: new Set(isWorker ? ['api', 'worker'] : ['api']),
    mode: 'development',
    replica: `test:${port}`,
    version: '0.0.0',
    log,
    isStrict: true,
  });
  await app.server.listen({ port, host: '127.0.0.1' });
  if (isWorker) await app.start();
  return {
    app,
    url,
    ingressPort,
    database,
    adapters,
    token: (actor) => sign(actor),
    async call(actor, route, { params, query, body, headers } = {}) {
      const answer = await fetch(`${url}${pathOf(route, params)}${queryString(query)}`, {
        method: route.method,
        headers: {
          ...(actor ? { authorization: `Bearer ${await sign(actor)}` } : {}),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const isJson = answer.headers.get('content-type')?.includes('json') ?? false;
      const parsed: unknown = route.stream === 'events' ? await answer.body?.cancel() : isJson ? await answer.json() : await answer.text();
      if (!answer.ok && isJson) checkDeclared(route, parsed);
      return { status: answer.status, body: parsed, headers: answer.headers };
    },
    async close() {
      await app.close();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};
