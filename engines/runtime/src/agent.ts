/**
 * The node agent: runs services and the edge in a separate process. Neither a busy server nor a busy edge can stop the other, and services
 * keep running without a server (docs/decisions/0024). Arguments: the runtime's directory and the socket.
 */
import { existsSync, rmSync } from 'node:fs';
import { createLocalJWKSet, createRemoteJWKSet } from 'jose';
import { ImageStore } from '@slipway/images/oci/image-store.ts';
import { OciClient } from '@slipway/images/oci/oci-client.ts';
import type { AgentConfig } from './local/agent/agent-config.ts';
import { AgentHost, type OpenRuntime } from './local/agent/agent-host.ts';
import { takeAgentLock } from './local/agent/agent-lock.ts';
import { agentLogStream } from './local/agent/agent-log.ts';
import { pullToken } from './local/agent/pull-token.ts';
import { serveAgent } from './local/agent/serve.ts';
import { EdgeTokens } from './edge/auth/edge-tokens.ts';
import { LocalRuntime } from './local/local-runtime.ts';
import { detectSandbox } from './sandbox/detect-sandbox.ts';
import { DiskFloor } from '@slipway/foundation/disk-floor.ts';
import { createLog } from '@slipway/foundation/log.ts';

/** Time for a previous agent to exit. */
const LOCK_MS = 5000;
const LOCKED = 3;

const [dataDir = '', socket = ''] = process.argv.slice(2);
process.title = 'slipway-agent';
// The server tells the agent when to exit. Signals to the whole process group or control group would otherwise race it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
const log = createLog('warn', agentLogStream(dataDir));

const edgeTokens = async (tokens: NonNullable<AgentConfig['tokens']>): Promise<EdgeTokens> => {
  const { claimsIssuer, claimsKey, issuer, keys, platformAudience } = tokens;
  const found = typeof keys === 'string' ? createRemoteJWKSet(new URL(keys)) : createLocalJWKSet(keys);
  return EdgeTokens.open({
    authority: { issuer, keys: found, platformAudience },
    claimsKey: Buffer.from(claimsKey, 'base64'),
    issuer: claimsIssuer,
  });
};

const imageStore = ({ disk, imageDir, registry }: AgentConfig): ImageStore => {
  const client = new OciClient({ baseUrl: registry.baseUrl, authorize: (repository) => pullToken(registry, repository) });
  return new ImageStore({ directory: imageDir, client, log, readyMs: 60_000, ...(disk && { floor: new DiskFloor(disk) }) });
};

const open = async (config: AgentConfig, sandbox: Awaited<ReturnType<typeof detectSandbox>>): Promise<OpenRuntime> => {
  const { egressInside, ingressHost, ingressPort, registry, timings } = config;
  log.level = config.logLevel;
  const tokens = config.tokens && (await edgeTokens(config.tokens));
  let images = imageStore(config);
  const runtime = new LocalRuntime({
    dataDir,
    ingressHost,
    ingressPort,
    tokens,
    platformUrl: registry.baseUrl,
    egressInside,
    images: { prepare: (...image) => images.prepare(...image) },
    sandbox,
    log,
    ...(timings && { timings }),
  });
  const configure = async (next: AgentConfig): Promise<void> => {
    log.level = next.logLevel;
    if (next.tokens) tokens?.become(await edgeTokens(next.tokens));
    images = imageStore(next);
    runtime.configure({ platformUrl: next.registry.baseUrl, egressInside: next.egressInside });
  };
  return { runtime, configure };
};

/** Detected at most once. The server's own result is used if there is one. */
let sandbox: ReturnType<typeof detectSandbox> | undefined;
const openRuntime = async (config: AgentConfig): Promise<OpenRuntime> =>
  open(config, await (sandbox ??= detectSandbox({ tried: config.sandboxTier })));
const end = (): void => {
  // Leaves no socket without a listener. This agent still holds the lock.
  rmSync(socket, { force: true });
  process.exit(0);
};
/** False after an upgrade that removed this version's files. */
const isWhole = (): boolean => [import.meta.filename, process.execPath].every((file) => existsSync(file));
const host = new AgentHost({ open: openRuntime, isWhole, onEnded: end, log });
// Until a server has taken it over, the agent exits with the process that started it.
for (const over of ['end', 'close', 'error']) process.stdin.on(over, () => void (host.wasTaken || process.exit(0)));
process.stdin.resume();
const lock = await takeAgentLock(dataDir, LOCK_MS);
if (!lock) process.exit(LOCKED);
// Keeps a reference to the lock until exit. Otherwise garbage collection would release it.
process.once('exit', () => lock.release());
await serveAgent(host, socket, log);
log.debug({ ms: Math.round(performance.now()), rss: process.memoryUsage.rss() }, 'the node agent is ready');
