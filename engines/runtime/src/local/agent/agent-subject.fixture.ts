/** Makes node agents for tests: the real program as a child process, with an image of the sample program that needs no registry. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { digestFolder, sha256 } from '@slipway/images/oci/digest.ts';
import { SAMPLE_PROGRAM } from '@slipway/foundation/ports/runtime.sample.ts';
import { SUITE_PLATFORM_AUDIENCE, type RuntimeSubject } from '@slipway/foundation/ports/runtime.suite-runtime.ts';
import { makeNodeRoot } from '../node-root.fixture.ts';
import { PortPool } from '../instance/port-pool.ts';
import { CLAIMS_ISSUER, makeTokens, quickTimings, silentLog } from '../runtime-subject.fixture.ts';
import type { AgentConfig } from './agent-config.ts';
import type { LinkTimings } from './agent-link.ts';
import { agentProgram, AgentProcess } from './agent-process.ts';
import { AgentRuntime } from './agent-runtime.ts';

export interface AgentSubject extends RuntimeSubject {
  readonly runtime: AgentRuntime;
  /** Returns the runtime as another server sees it, with a changed configuration. */
  next(changed: Partial<AgentConfig>): AgentRuntime;
  readonly agent: AgentProcess;
  readonly config: AgentConfig;
  readonly dataDir: string;
  readonly ingressPort: number;
}

export async function makeAgentSubject(timings: Partial<LinkTimings> = {}, graceMs = 0): Promise<AgentSubject> {
  const directory = mkdtempSync(join(tmpdir(), 'slipway-agent-'));
  const socket = join(directory, 'agent.sock');
  const agent = new AgentProcess({ entry: agentProgram, dataDir: join(directory, 'runtime'), socket, log: silentLog });
  const digest = sha256('sample');
  placeImage(join(directory, 'images'), digest);
  const { claimsKey, signIn, tokens } = await makeTokens();
  const ports = new PortPool();
  const ingressPort = await ports.take();
  const inside = `127.0.0.2:${await ports.take()}`;
  const config: AgentConfig = {
    dataDir: join(directory, 'runtime'),
    imageDir: join(directory, 'images'),
    egressInside: [inside],
    ingressHost: '127.0.0.1',
    ingressPort,
    registry: { baseUrl: 'http://127.0.0.1:9', username: 'nobody', secret: '' },
    tokens: {
      issuer: signIn.issuer,
      keys: signIn.keys.jwks(),
      platformAudience: SUITE_PLATFORM_AUDIENCE,
      claimsKey: Buffer.from(claimsKey).toString('base64'),
      claimsIssuer: CLAIMS_ISSUER,
    },
    graceMs,
    logLevel: process.env['TEST_LOG'] ?? 'silent',
    timings: quickTimings,
  };
  agent.start();
  agent.configure(config);
  const runtime = new AgentRuntime({ dataDir: config.dataDir, ingressPort, agent, log: silentLog, timings });
  const next = (changed: Partial<AgentConfig>): AgentRuntime => {
    const process = new AgentProcess({ entry: agentProgram, dataDir: config.dataDir, socket, log: silentLog });
    process.configure({ ...config, ...changed });
    return new AgentRuntime({ dataDir: config.dataDir, ingressPort, agent: process, log: silentLog, timings });
  };
  return {
    runtime,
    next,
    agent,
    config,
    dataDir: config.dataDir,
    ingressPort,
    image: { repository: 'shop/shop', digest },
    tokens,
    inside,
    async close() {
      await runtime.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Places an image in the layout of the image store's unpacked images. */
function placeImage(directory: string, digest: string): void {
  const folder = join(directory, 'images', digestFolder(digest));
  mkdirSync(join(folder, 'rootfs'), { recursive: true });
  makeNodeRoot(join(folder, 'rootfs'), SAMPLE_PROGRAM);
  const settings = { entrypoint: ['node', '/app/main.js'], workdir: '/app', env: { NODE_ENV: 'production' }, layers: [] };
  writeFileSync(join(folder, 'image.json'), JSON.stringify(settings));
}
