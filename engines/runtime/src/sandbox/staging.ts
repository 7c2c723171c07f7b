/**
 * Shell steps that turn new namespaces into a staging root: the distribution's programs, read-only, the image at /image, and bind sources
 * at /binds. The steps contain only the platform's paths. Everything that depends on the image runs later inside this root, in a user
 * namespace whose root has no rights on the machine. The staging root is read-only: a program that escaped its image would find the
 * distribution's /usr and nothing to change.
 */
import { existsSync, lstatSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { launcherFiles, launcherNode } from './launcher-files.ts';
import type { SandboxBind, SandboxCommand } from './sandbox.ts';
import { shellQuote, shellWords } from './shell-script.ts';

/** Programs of util-linux and coreutils that staging needs. */
export const STAGING_TOOLS = [
  'sh',
  'base64',
  'ln',
  'mkdir',
  'mount',
  'nsenter',
  'pivot_root',
  'prlimit',
  'setpriv',
  'touch',
  'umount',
  'unshare',
] as const;
export type StagingTools = Readonly<Record<(typeof STAGING_TOOLS)[number], string>>;

/** File 3 provides input, file 4 receives status lines; see `RunningCommand`. */
export const FAIL = '{ echo "The sandbox could not be set up." >&2; exit 125; }';
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom'];
const ROOT_OPTIONS = 'mode=0755,nosuid,nodev,size=1m';
const DEVICE_OPTIONS = 'mode=0755,nosuid,size=1m';
const SHARED_MEMORY_MB = 64;

/** Returns steps, to be joined by `&&`, that end in the staging root. */
export function stagingSteps(tools: StagingTools, staging: string, command: SandboxCommand, isRoot: boolean): readonly string[] {
  const at = (name: string): string => shellQuote(join(staging, name));
  return [
    `${tools.mount} -t tmpfs -o ${ROOT_OPTIONS} slipway ${shellQuote(staging)}`,
    // The last two are for the tools: bubblewrap builds its root in /tmp, and OCI runtimes look for control groups even if they must leave
    // them alone.
    `${tools.mkdir} -p ${shellWords(['image', 'old', 'proc', 'dev', 'binds', 'state', 'launch', 'tmp', 'sys/fs/cgroup'].map((name) => join(staging, name)))}`,
    // The kernel lets a user namespace mount its own process table only if one is already visible.
    `${tools.mount} ${isRoot ? '--rbind /proc' : '-t proc -o nosuid,nodev,noexec proc'} ${at('proc')}`,
    ...devices(tools, join(staging, 'dev')),
    ...machinePrograms(tools, staging),
    ...launcher(tools, join(staging, 'launch')),
    `${tools.mount} --rbind ${shellQuote(command.rootfs)} ${at('image')}`,
    `${tools.mount} -o remount,bind,${command.isRootWritable ? '' : 'ro,'}nosuid,nodev ${at('image')}`,
    ...command.binds.flatMap((bind, index) => stageBind(tools, bind, join(staging, 'binds', String(index)))),
    `cd ${shellQuote(staging)}`,
    `${tools.pivot_root} . old`,
    `${tools.umount} -l /old`,
    'cd /',
    // Without root, the program's user may own this file system. Read-only, so that the program can't replace the loader and launcher of
    // later commands.
    `${tools.mount} -t tmpfs -o remount,ro,${ROOT_OPTIONS} slipway /`,
  ];
}

function stageBind(tools: StagingTools, { isReadOnly, source }: SandboxBind, target: string): readonly string[] {
  const make = statSync(source).isDirectory() ? tools.mkdir : tools.touch;
  const [from, to] = [shellQuote(source), shellQuote(target)];
  return [
    `${make} ${to}`,
    `${tools.mount} --rbind ${from} ${to}`,
    // A bind mount accepts flags only in a second step.
    `${tools.mount} -o remount,bind,${isReadOnly ? 'ro,' : ''}nosuid,nodev ${to}`,
  ];
}

/**
 * Mounts the distribution's programs and libraries. All binds are recursive: in a user namespace the kernel refuses to bind a directory
 * without its submounts.
 */
function machinePrograms(tools: StagingTools, staging: string): readonly string[] {
  const names = [
    'usr',
    'bin',
    'sbin',
    'lib',
    'lib32',
    'lib64',
    'libx32',
    'nix',
    ...Object.values(tools).map((path) => path.split('/')[1] ?? ''),
  ];
  return [...new Set(names)]
    .filter((name) => name !== '' && existsSync(`/${name}`))
    .flatMap((name) => {
      const target = shellQuote(join(staging, name));
      if (lstatSync(`/${name}`).isSymbolicLink()) return [`${tools.ln} -s ${shellQuote(readlinkSync(`/${name}`))} ${target}`];
      return [`${tools.mkdir} ${target}`, `${tools.mount} -o rbind,ro,nosuid ${shellQuote(`/${name}`)} ${target}`];
    });
}

/** Creates the few devices that every program expects. */
function devices(tools: StagingTools, dev: string): readonly string[] {
  return [
    `${tools.mount} -t tmpfs -o ${DEVICE_OPTIONS} slipway ${shellQuote(dev)}`,
    `${tools.touch} ${shellWords(DEVICES.map((name) => join(dev, name)))}`,
    ...DEVICES.map((name) => `${tools.mount} --bind /dev/${name} ${shellQuote(join(dev, name))}`),
    `${tools.ln} -s /proc/self/fd ${shellQuote(join(dev, 'fd'))}`,
    ...['stdin', 'stdout', 'stderr'].map((name, index) => `${tools.ln} -s /proc/self/fd/${index} ${shellQuote(join(dev, name))}`),
    `${tools.mkdir} ${shellQuote(join(dev, 'shm'))}`,
    `${tools.mount} -t tmpfs -o mode=1777,nosuid,nodev,size=${SHARED_MEMORY_MB}m slipway ${shellQuote(join(dev, 'shm'))}`,
    `${tools.mount} -t tmpfs -o remount,ro,${DEVICE_OPTIONS} slipway ${shellQuote(dev)}`,
  ];
}

export const LAUNCH = ['/launch/node', '--no-warnings', '/launch/files/launcher.js'];

function launcher(tools: StagingTools, launch: string): readonly string[] {
  const [node, files] = [join(launch, 'node'), join(launch, 'files')];
  const show = (source: string, target: string): string => `${tools.mount} -o rbind,ro,nosuid,nodev ${shellWords([source, target])}`;
  return [
    `${tools.mkdir} ${shellQuote(files)}`,
    `${tools.touch} ${shellQuote(node)}`,
    show(launcherNode(), node),
    show(launcherFiles(), files),
  ];
}
