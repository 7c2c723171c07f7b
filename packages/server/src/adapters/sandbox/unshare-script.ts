/**
 * The shell text that turns a fresh set of namespaces into a sandbox. It first moves into a staging root that holds the machine's
 * programs, read-only, and the image at /image; from then on nothing else of the machine exists for it. Only then does the
 * foreign program start, in a changed root within that staging root and without any right: should it ever get out of the
 * image, it finds the distribution's own /usr.
 */
import { existsSync, lstatSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { resolveInRoot } from './root-path.ts';
import type { SandboxBind, SandboxCommand } from './sandbox.ts';
import { shellQuote, shellWords } from './shell-script.ts';

/** The programs of util-linux and coreutils that the tier consists of. */
export const UNSHARE_TOOLS = [
  'sh',
  'cat',
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
export type UnshareTools = Readonly<Record<(typeof UNSHARE_TOOLS)[number], string>>;

const DEVICES = ['null', 'zero', 'full', 'random', 'urandom'];
const DEFAULT_TEMPORARY_MB = 256;
/** Rights that the waiting first process keeps: those of the last steps, and none over files, devices or networks. */
const SHIM_RIGHTS = '-all,+sys_chroot,+setuid,+setgid,+setpcap';

/** `status` (file 4) hears one line when the program has been forked; `environment` (file 3) is read by `launchScript`. */
export function setUpScript(tools: UnshareTools, staging: string, command: SandboxCommand, isRoot: boolean): string {
  const steps = [
    `${tools.mount} -t tmpfs -o mode=0755,nosuid,nodev,size=1m slipway ${shellQuote(staging)}`,
    `${tools.mkdir} ${shellWords(['image', 'old', 'proc', 'dev'].map((name) => join(staging, name)))}`,
    ...kernelMounts(tools, staging),
    ...machinePrograms(tools, staging),
    ...imageSteps(tools, staging, command),
    `cd ${shellQuote(staging)}`,
    `${tools.pivot_root} . old`,
    `${tools.umount} -l /old`,
  ];
  const first = isRoot ? `${tools.setpriv} --no-new-privs --bounding-set ${SHIM_RIGHTS} ` : '';
  return [
    `setup() {\n${steps.join(' &&\n')}\n}`,
    'setup || { echo "The sandbox could not be set up." >&2; exit 125; }',
    `exec ${first}${tools.sh} -c ${shellQuote(waitScript(launchScript(tools, command, command.command, isRoot)))}`,
  ].join('\n');
}

/**
 * The first process of the new process namespace. It must not be the program itself: the kernel drops signals to a first process that
 * has no handler for them, so that SIGTERM would never end an ordinary program.
 */
const waitScript = (launch: string): string =>
  // Without its output, or the shell's own word on how the program ended would stand in the program's log.
  `(\n${launch}\n) &\nprogram=$!\nexec 3<&- >/dev/null 2>&1\necho started >&4\nexec 4>&-\nwait "$program"\nexit $?`;

/** Takes the environment from file 3 (see `handOverEnvironment`), gives up every right, and becomes the program. Runs in the staging root. */
export function launchScript(tools: UnshareTools, command: SandboxCommand, program: readonly string[], isRoot: boolean): string {
  const user = isRoot
    ? ['--setuid', String(command.uid), '--setgid', String(command.uid)]
    : ['--user', '--map-user=1000', '--map-group=1000'];
  const limits = isRoot ? ['--core=0', `--nproc=${(command.limits?.processes ?? 1024) * 4}`] : ['--core=0'];
  // What the last step needs: the kernel wants `setfcap` of whoever maps a root user, here the outer namespace's.
  const rights = ['--no-new-privs', '--inh-caps', '-all', '--bounding-set', isRoot ? '-all,+sys_chroot,+setuid,+setgid' : '-all,+setfcap'];
  return [
    'umask 022',
    'unset LC_ALL OLDPWD',
    'set --',
    `eval "$(${tools.cat} <&3)"`,
    `exec 3<&- 4>&- ${tools.setpriv} ${shellWords(rights)} ${tools.prlimit} ${shellWords(limits)} ` +
      `${tools.unshare} ${shellWords([...user, '--root=/image', `--wd=${command.cwd}`, '--'])} "$@" ${shellWords(program)}`,
  ].join('\n');
}

/**
 * Shows the distribution's programs and libraries read-only in the staging root. Binds are recursive throughout: in a user namespace
 * the kernel refuses to show a directory without what is mounted below it.
 */
function machinePrograms(tools: UnshareTools, staging: string): readonly string[] {
  const names = ['usr', 'bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32', ...Object.values(tools).map((path) => path.split('/')[1] ?? '')];
  return [...new Set(names)]
    .filter((name) => name !== '' && existsSync(`/${name}`))
    .flatMap((name) => {
      const target = shellQuote(join(staging, name));
      if (lstatSync(`/${name}`).isSymbolicLink()) return [`${tools.ln} -s ${shellQuote(readlinkSync(`/${name}`))} ${target}`];
      return [`${tools.mkdir} ${target}`, `${tools.mount} -o rbind,ro,nosuid ${shellQuote(`/${name}`)} ${target}`];
    });
}

/** The process table of the new process namespace, and the few devices that every program expects. The image shares both. */
function kernelMounts(tools: UnshareTools, staging: string): readonly string[] {
  const dev = join(staging, 'dev');
  return [
    `${tools.mount} -t proc -o nosuid,nodev,noexec proc ${shellQuote(join(staging, 'proc'))}`,
    `${tools.mount} -t tmpfs -o mode=0755,nosuid,size=64m slipway ${shellQuote(dev)}`,
    `${tools.touch} ${shellWords(DEVICES.map((name) => join(dev, name)))}`,
    ...DEVICES.map((name) => `${tools.mount} --bind /dev/${name} ${shellQuote(join(dev, name))}`),
    `${tools.ln} -s /proc/self/fd ${shellQuote(join(dev, 'fd'))}`,
    ...['stdin', 'stdout', 'stderr'].map((name, index) => `${tools.ln} -s /proc/self/fd/${index} ${shellQuote(join(dev, name))}`),
    `${tools.mkdir} -m 1777 ${shellQuote(join(dev, 'shm'))}`,
  ];
}

function imageSteps(tools: UnshareTools, staging: string, command: SandboxCommand): readonly string[] {
  const image = join(staging, 'image');
  const inside = (path: string): string => join(image, resolveInRoot(command.rootfs, path));
  const [proc, dev, tmp] = [inside('/proc'), inside('/dev'), inside('/tmp')];
  const binds = command.binds.map((bind) => ({ ...bind, target: inside(bind.target) }));
  const temporary = command.temporaryMegabytes ?? DEFAULT_TEMPORARY_MB;
  return [
    `${tools.mount} --rbind ${shellQuote(command.rootfs)} ${shellQuote(image)}`,
    // Mount points must exist before the root turns read-only.
    `${tools.mkdir} -p ${shellWords([proc, dev, tmp])}`,
    ...binds.map((bind) => mountPoint(tools, bind)),
    ...(command.isRootWritable ? [] : [`${tools.mount} -o remount,bind,ro,nosuid,nodev ${shellQuote(image)}`]),
    `${tools.mount} --rbind ${shellWords([join(staging, 'proc'), proc])}`,
    `${tools.mount} --rbind ${shellWords([join(staging, 'dev'), dev])}`,
    `${tools.mount} -t tmpfs -o mode=1777,nosuid,nodev,size=${temporary}m slipway ${shellQuote(tmp)}`,
    ...binds.map((bind) => `${tools.mount} -o rbind${bind.isReadOnly ? ',ro' : ''},nosuid,nodev ${shellWords([bind.source, bind.target])}`),
  ];
}

function mountPoint(tools: UnshareTools, bind: SandboxBind): string {
  if (statSync(bind.source).isDirectory()) return `${tools.mkdir} -p ${shellQuote(bind.target)}`;
  return `${tools.mkdir} -p ${shellQuote(join(bind.target, '..'))} && { [ -e ${shellQuote(bind.target)} ] || ${tools.touch} ${shellQuote(bind.target)}; }`;
}
