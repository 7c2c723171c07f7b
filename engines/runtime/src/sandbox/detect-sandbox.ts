/** Chooses the best tier of this machine by running a command in it: tools may be installed but forbidden. */
import { chmodSync, existsSync, lstatSync, mkdtempSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BubblewrapTool } from './tools/bubblewrap-tool.ts';
import { detectControlGroups } from './control-groups/control-groups.ts';
import { HostSandbox } from './host-sandbox.ts';
import { hostUid, releaseHostUid } from './host-uid.ts';
import { keepDescriptors } from './libc.ts';
import { MemoryWatch } from './control-groups/memory-watch.ts';
import { NetworkNamespace } from './network/network-namespace.ts';
import { OciTool } from './tools/oci-tool.ts';
import type { Sandbox, SandboxTier } from './sandbox.ts';
import { findTool, findTools } from './tools/tools.ts';
import type { InnerTool } from './tools/inner-tool.ts';
import { LauncherTool } from './tools/launcher-tool.ts';
import { StagedSandbox } from './staged-sandbox.ts';
import { STAGING_TOOLS } from './staging.ts';

const MACHINE_DIRECTORIES = ['usr', 'bin', 'lib', 'lib32', 'lib64', 'libx32', 'nix'];

export interface DetectOptions {
  /** Tries only this tier. Rejects if it does not work here. */
  readonly only?: SandboxTier;
  /** A tier that another process of this user has just tried successfully. It is used without a trial. */
  readonly tried?: SandboxTier | undefined;
  /** If false, memory is watched even if control groups could limit it. */
  readonly mayUseControlGroups?: boolean;
}

const withTool = <Tool>(name: string, make: (path: string) => Tool): Tool | undefined => {
  const path = findTool(name);
  return path === undefined ? undefined : make(path);
};

/** Prefers an OCI runtime, then bubblewrap, then util-linux with Node, then the host: maintained tools before our own. */
export async function detectSandbox(options: DetectOptions = {}): Promise<Sandbox> {
  if (process.platform === 'linux') keepDescriptors();
  const memoryWatch = new MemoryWatch();
  const groups = options.mayUseControlGroups === false ? undefined : detectControlGroups();
  const staged = (inner: InnerTool | undefined): Sandbox | undefined => {
    const tools = findTools(STAGING_TOOLS);
    return (
      tools && inner && new StagedSandbox({ tools, inner, controlGroups: groups, memoryWatch, hasNetworks: NetworkNamespace.isPermitted() })
    );
  };
  const makers: Readonly<Record<SandboxTier, () => Sandbox | undefined>> = {
    oci: () => staged(withTool('crun', (path) => new OciTool(path))),
    bubblewrap: () => staged(withTool('bwrap', (path) => new BubblewrapTool(path))),
    unshare: () => staged(new LauncherTool()),
    host: () => new HostSandbox(memoryWatch),
  };
  const order: readonly SandboxTier[] = ['oci', 'bubblewrap', 'unshare', 'host'];
  const asked = options.only ?? options.tried;
  for (const tier of asked ? [asked] : order) {
    const sandbox = tier === 'host' || process.platform === 'linux' ? makers[tier]() : undefined;
    if (sandbox && (tier === 'host' || tier === options.tried || (await works(sandbox)))) return sandbox;
  }
  throw new Error(`The sandbox tier ${asked ?? ''} does not work on this machine.`);
}

/** Tries a sandbox on an empty root with the machine's own programs mounted. */
async function works(sandbox: Sandbox): Promise<boolean> {
  const rootfs = mkdtempSync(join(tmpdir(), 'slipway-trial-'));
  const id = `trial-${process.pid}-${sandbox.tier}`;
  try {
    chmodSync(rootfs, 0o755);
    const binds = MACHINE_DIRECTORIES.filter((name) => existsSync(`/${name}`)).flatMap((name) => {
      if (!lstatSync(`/${name}`).isSymbolicLink()) return [{ source: `/${name}`, target: `/${name}`, isReadOnly: true }];
      symlinkSync(readlinkSync(`/${name}`), join(rootfs, name));
      return [];
    });
    const trial = sandbox.spawn({ id, rootfs, binds, command: ['/bin/sh', '-c', ':'], cwd: '/', env: {}, uid: hostUid(id) });
    trial.child.stdout.resume();
    trial.child.stderr.resume();
    return (await trial.exited).code === 0;
  } finally {
    releaseHostUid(id);
    rmSync(rootfs, { recursive: true, force: true });
  }
}
