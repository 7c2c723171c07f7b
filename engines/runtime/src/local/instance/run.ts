/** One run of an instance, from the image to the end of its program. A restart is a new run. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hostUid } from '../../sandbox/host-uid.ts';
import { networkFiles } from '../../sandbox/network/network-files.ts';
import type { SandboxedProcess } from '../../sandbox/sandbox.ts';
import type { RevisionSpec } from '@slipway/foundation/ports/runtime.ts';
import type { RunnableImage } from './image-source.ts';
import { EGRESS_PORT } from '../doorways.ts';
import { serverHosts } from '../server-doorways.ts';
import type { InstanceContext } from './instance-context.ts';
import { markProcess } from './instance-directory.ts';
import type { LogWriter } from '../log/log-writer.ts';
import { secretDirectory } from './secret-directory.ts';
import { writeSecretFiles } from './secret-files.ts';
import { serviceUser } from '../revision-names.ts';
import { traceEnvironment } from './trace-environment.ts';

export interface RunRequest {
  readonly instance: string;
  /** Number of the run, counted per instance. */
  readonly number: number;
  readonly spec: RevisionSpec;
  readonly image: RunnableImage;
  readonly port: number | undefined;
  readonly log: LogWriter;
}

const MAX_TEMPORARY_MB = 256;
/**
 * Size of the in-memory `/tmp`, which control groups count toward the instance's memory. Half of the memory limit, so that a full `/tmp` is
 * reported as such before memory runs out.
 */
export const temporaryMegabytes = (memoryMegabytes: number): number => Math.min(MAX_TEMPORARY_MB, Math.ceil(memoryMegabytes / 2));

const BASE_ENVIRONMENT = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/tmp' };

export async function startRun(context: InstanceContext, request: RunRequest): Promise<SandboxedProcess> {
  const { image, instance, log, number, port, spec } = request;
  const uid = hostUid(serviceUser(context.dataDir, spec));
  const directory = secretDirectory(context.dataDir, instance);
  // Without a mount namespace, files cannot be mounted, and other programs might find them.
  const mounts = context.sandbox.tier === 'host' ? [] : spec.files;
  const files = await writeSecretFiles(join(directory, `files-${number}`), mounts, context.sandbox.isUidUsed ? uid : undefined);
  const running = context.sandbox.spawn({
    id: instance,
    rootfs: image.rootfs,
    binds: [...networkFiles(context.sandbox, serverHosts(spec)), ...files],
    command: image.entrypoint,
    cwd: image.workdir,
    env: {
      ...BASE_ENVIRONMENT,
      ...traceEnvironment(spec, { instance, image: image.env, platformUrl: context.platformUrl() }),
      ...image.env,
      ...proxyEnvironment(spec, context.sandbox.hasNetworks),
      // Databases count connections by application name.
      PGAPPNAME: spec.service,
      ...spec.env,
      ...platformEnvironment(spec, port, context.platformUrl()),
    },
    uid,
    isYielding: spec.isSpot ?? false,
    temporaryMegabytes: temporaryMegabytes(spec.memoryMegabytes),
    doorways: context.doorways(spec),
    limits: { memoryMegabytes: spec.memoryMegabytes, cpuMillicores: spec.cpuMillicores },
  });
  log.attach(running.child.stdout, 'stdout');
  log.attach(running.child.stderr, 'stderr');
  if (running.child.pid !== undefined) markProcess(context.dataDir, instance, running.child.pid);
  await rm(join(directory, `files-${number - 1}`), { recursive: true, force: true });
  return running;
}

/** Proxy variables in both spellings; `NODE_USE_ENV_PROXY` makes Node read them. The service's own settings override them. */
function proxyEnvironment({ egress = [] }: RevisionSpec, hasNetworks: boolean): Record<string, string> {
  if (!hasNetworks || egress.length === 0) return {};
  const proxy = `http://127.0.0.1:${EGRESS_PORT}`;
  const inside = 'localhost,.localhost,127.0.0.1';
  const names = { http_proxy: proxy, https_proxy: proxy, no_proxy: inside };
  const upper = Object.fromEntries(Object.entries(names).map(([name, value]) => [name.toUpperCase(), value]));
  return { ...names, ...upper, NODE_USE_ENV_PROXY: '1' };
}

/** Variables that describe where the program runs. Settings cannot override them. */
function platformEnvironment(spec: RevisionSpec, port: number | undefined, platformUrl: string | undefined): Record<string, string> {
  return {
    SLIPWAY_ENVIRONMENT: spec.environment,
    SLIPWAY_SERVICE: spec.service,
    SLIPWAY_REVISION: spec.revision,
    ...(spec.region === undefined ? {} : { SLIPWAY_REGION: spec.region }),
    ...(platformUrl === undefined ? {} : { SLIPWAY_URL: platformUrl }),
    ...(port === undefined ? {} : { PORT: String(port), HOST: '127.0.0.1' }),
  };
}
