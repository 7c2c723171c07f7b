/**
 * The node agent: runs services and the edge, in a process of its own, so that neither a busy server nor a busy edge can stop the
 * other. It ends with its server, and everything inside with it (docs/decisions/0017).
 */
import { mkdirSync } from 'node:fs';
import { createLocalJWKSet, createRemoteJWKSet } from 'jose';
import { ImageStore } from '#adapters/oci/image-store.ts';
import { OciClient } from '#adapters/oci/oci-client.ts';
import { readLifeline, type AgentConfig } from '#adapters/runtime-local/agent/agent-config.ts';
import { AgentLock } from '#adapters/runtime-local/agent/agent-lock.ts';
import { heldRuntime } from '#adapters/runtime-local/agent/held-runtime.ts';
import { pullToken } from '#adapters/runtime-local/agent/pull-token.ts';
import { serveRuntime } from '#adapters/runtime-local/agent/serve.ts';
import { EdgeTokens } from '#adapters/runtime-local/ingress/edge-tokens.ts';
import { LocalRuntime } from '#adapters/runtime-local/local-runtime.ts';
import { detectSandbox } from '#adapters/sandbox/detect-sandbox.ts';
import { DiskFloor } from '#kernel/disk-floor.ts';
import { createLog } from '#kernel/log.ts';

const edgeTokens = async (tokens: NonNullable<AgentConfig['tokens']>): Promise<EdgeTokens> => {
  const { claimsIssuer, claimsKey, issuer, keys, platformAudience } = tokens;
  const found = typeof keys === 'string' ? createRemoteJWKSet(new URL(keys)) : createLocalJWKSet(keys);
  return EdgeTokens.open({
    authority: { issuer, keys: found, platformAudience },
    claimsKey: Buffer.from(claimsKey, 'base64'),
    issuer: claimsIssuer,
  });
};

const run = async (config: AgentConfig): Promise<void> => {
  const { dataDir, disk, egressInside, imageDir, ingressHost, ingressPort, registry, socket, timings } = config;
  const log = createLog(config.logLevel);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const client = new OciClient({ baseUrl: registry.baseUrl, authorize: (repository) => pullToken(registry, repository) });
  const runtime = new LocalRuntime({
    dataDir,
    ingressHost,
    ingressPort,
    tokens: config.tokens && (await edgeTokens(config.tokens)),
    platformUrl: registry.baseUrl,
    egressInside,
    images: new ImageStore({ directory: imageDir, client, log, ...(disk && { floor: new DiskFloor(disk) }) }),
    sandbox: await detectSandbox({ tried: config.sandboxTier }),
    log,
    ...(timings && { timings }),
  });
  await serveRuntime(heldRuntime(runtime, new AgentLock(dataDir, log)), socket, log);
  log.debug({ ms: Math.round(performance.now()), rss: process.memoryUsage.rss() }, 'the node agent is ready');
};

process.title = 'slipway-agent';
// The server says when it is over: what stops a whole process group or control group would otherwise race it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
const lifeline = readLifeline(process.stdin);
void lifeline.ended.then(() => process.exit(0));
await run(await lifeline.config);
