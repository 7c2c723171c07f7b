/** Makes embedded runtimes for tests: a data directory, an unpacked image of the sample program, a free ingress port. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { detectSandbox, type DetectOptions } from '../sandbox/detect-sandbox.ts';
import type { Log } from '@slipway/foundation/ports/log.ts';
import { SAMPLE_PROGRAM } from '@slipway/foundation/ports/runtime.sample.ts';
import {
  quickHealth,
  SUITE_PLATFORM_AUDIENCE,
  type RuntimeSubject,
  type SuiteTokens,
} from '@slipway/foundation/ports/runtime.suite-runtime.ts';
import type { RevisionSpec } from '@slipway/foundation/ports/runtime.ts';
import { testAuthority, type TestAuthority } from '@slipway/foundation/testing/authority.ts';
import type { ImageSource } from './instance/image-source.ts';
import { EdgeTokens, newClaimsKey } from '../edge/auth/edge-tokens.ts';
import { LocalRuntime } from './local-runtime.ts';
import { makeNodeRoot } from './node-root.fixture.ts';
import { PortPool } from './instance/port-pool.ts';
import type { Timings } from './timings.ts';

export const quickTimings: Partial<Timings> = {
  drainMs: 100,
  firstRestartMs: 50,
  backoffMs: 300,
  aliveMs: 200,
  wrongPortMs: 500,
  sameFailureMs: 2000,
  acquireMs: 2000,
};

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

export interface LocalSubject extends RuntimeSubject {
  readonly runtime: LocalRuntime;
  readonly dataDir: string;
  readonly ingressPort: number;
  readonly images: ImageSource;
  readonly rootfs: string;
}

export interface SubjectOptions extends DetectOptions {
  readonly timings?: Partial<Timings>;
  /** Puts faults between the runtime and its images. */
  readonly wrapImages?: (images: ImageSource) => ImageSource;
}

export async function makeLocalSubject({
  timings,
  wrapImages = (images) => images,
  ...detect
}: SubjectOptions = {}): Promise<LocalSubject> {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipway-runtime-'));
  const rootfs = join(dataDir, 'images', 'sample', 'rootfs');
  mkdirSync(rootfs, { recursive: true });
  makeNodeRoot(rootfs, SAMPLE_PROGRAM);
  const images = wrapImages(imagesAt(rootfs));
  const ports = new PortPool();
  const ingressPort = await ports.take();
  const inside = `127.0.0.2:${await ports.take()}`;
  const sandbox = await detectSandbox(detect);
  const { edge, tokens } = await makeTokens();
  const runtime = new LocalRuntime({
    dataDir,
    tokens: edge,
    egressInside: [inside],
    ingressHost: '127.0.0.1',
    ingressPort,
    images,
    sandbox,
    log: silentLog,
    timings: { ...quickTimings, ...timings },
  });
  return {
    runtime,
    dataDir,
    ingressPort,
    images,
    rootfs,
    image: { repository: 'shop/shop', digest: 'sha256:sample' },
    tokens,
    inside,
    async close() {
      await runtime.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export const CLAIMS_ISSUER = 'https://slipway.test';

export async function makeTokens(): Promise<{ edge: EdgeTokens; tokens: SuiteTokens; signIn: TestAuthority; claimsKey: Uint8Array }> {
  const signIn = await testAuthority();
  const { issuer, keys } = signIn;
  const authority = { issuer, keys, platformAudience: SUITE_PLATFORM_AUDIENCE };
  const claimsKey = newClaimsKey();
  const edge = await EdgeTokens.open({ authority, claimsKey, issuer: CLAIMS_ISSUER });
  const forger = await testAuthority();
  return {
    edge,
    signIn,
    claimsKey,
    tokens: {
      token: ({ isForged, lifetimeSeconds = 3600, ...claims }) =>
        (isForged ? forger : signIn).token({ ...claims, expiresAt: `${lifetimeSeconds} seconds` }),
      claims: async (jwt, audience) => {
        const published = createLocalJWKSet(edge.keySet);
        return (await jwtVerify(jwt, published, { audience, issuer: CLAIMS_ISSUER })).payload;
      },
    },
  };
}

/** Returns the spec of a service named after its revision without the number. */
export const sampleSpec = (revision: string): RevisionSpec => ({
  app: 'shop',
  environment: 'development',
  service: revision.replace(/-\d+$/, ''),
  revision,
  id: `row of ${revision}`,
  image: { repository: 'shop/shop', digest: 'sha256:sample' },
  env: {},
  files: [],
  exposedPort: 8080,
  health: quickHealth,
  cpuMillicores: 1000,
  memoryMegabytes: 256,
  replicas: 1,
  stopGraceSeconds: 3,
});

export const imagesAt = (rootfs: string): ImageSource => ({
  async prepare() {
    return { rootfs, entrypoint: ['node', '/app/main.js'], workdir: '/app', env: { NODE_ENV: 'production' } };
  },
});
