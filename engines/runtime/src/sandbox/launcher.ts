/**
 * The last step into a sandbox, a separate program. It runs as root of the namespaces, who has no rights on the machine, in a root that
 * holds the distribution's programs and the image at /image. It builds the program's root from the image, drops all rights and executes the
 * program. It reads no file of the image before the rights are dropped, and follows no path out of the image.
 *
 * File 3 provides the job as one line of JSON and later a line that says go. File 4 receives `ready` and `started`.
 */
import { closeSync, openSync, readlinkSync, readSync, writeSync } from 'node:fs';
import { isReserved, isWithin, MASKED_DIRECTORIES, MASKED_FILES, READ_ONLY } from './kernel-view.ts';
import {
  changeDirectory,
  CLONE_FS,
  CLONE_NEWNS,
  detachMount,
  dropCapabilities,
  emptyBoundingSet,
  enterNamespace,
  execute,
  exitNow,
  forgetNode,
  installFilter,
  leaveKeyring,
  LIMIT,
  limitResource,
  MOUNT,
  mount,
  noNewPrivileges,
  OPEN,
  openInRoot,
  pivotRoot,
  setHostName,
  SystemError,
  unshare,
} from './libc.ts';

export interface LaunchJob {
  /** `join`: runs another command beside a running program, whose mount namespace is file 5. */
  readonly kind: 'start' | 'join';
  /** Undefined if the namespaces' root may not set it. */
  readonly hostName: string | undefined;
  /** Sources are in /binds, by index. Targets are absolute paths inside, with the image's links resolved. */
  readonly binds: readonly { readonly target: string; readonly isReadOnly: boolean }[];
  readonly temporaryMegabytes: number;
  /** User id inside the namespaces. Undefined if the namespaces have only one user, whose rights are dropped. */
  readonly user: number | undefined;
  readonly processes: number;
  readonly files: number;
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The compiled system call filter, in base64. */
  readonly filter: string;
}

const INPUT = 3;
const STATUS = 4;
const OTHER_MOUNTS = 5;
const KERNEL = ['/proc', '/dev', '/tmp'] as const;
const SETUP_FAILED = 125;

let rest = '';
function readLine(): string {
  const chunk = Buffer.alloc(65_536);
  for (;;) {
    const end = rest.indexOf('\n');
    if (end >= 0) {
      const line = rest.slice(0, end);
      rest = rest.slice(end + 1);
      return line;
    }
    const length = readSync(INPUT, chunk);
    if (length === 0) throw new Error('the server went away');
    // The job is ASCII: other characters are escaped.
    rest += chunk.toString('latin1', 0, length);
  }
}

const descriptorPath = (fd: number): string => `/proc/self/fd/${fd}`;

/**
 * Opens the mount point for a path inside the image. All targets are opened before anything is mounted, so that none resolves into another
 * mount.
 */
function openTarget(root: number, path: string): { readonly fd: number; readonly path: string } {
  const fd = openInRoot(root, path, OPEN.path);
  const place = readlinkSync(descriptorPath(fd));
  const inside = place === '/image' ? '/' : place.slice('/image'.length);
  return { fd, path: inside };
}

function buildRoot(job: LaunchJob): void {
  unshare(CLONE_NEWNS | CLONE_FS);
  mount(null, '/', null, MOUNT.private | MOUNT.recursive);
  mount('/image', '/image', null, MOUNT.bind | MOUNT.recursive);
  const root = openSync('/image', OPEN.path | OPEN.directory);
  const [proc, dev, temporary] = KERNEL.map((path) => openTarget(root, path));
  const targets = job.binds.map(({ target }) => openTarget(root, target));
  for (const { path } of [proc!, dev!, temporary!])
    if (path === '/') throw new Error('the image has its root where a mount point must stand');
  const kernel = [proc!.path, dev!.path, temporary!.path];
  for (const { path } of targets)
    if (isReserved(path) || kernel.some((entry) => isWithin(path, entry))) throw new Error(`${path} cannot be mounted over`);
  mount('/proc', descriptorPath(proc!.fd), null, MOUNT.bind | MOUNT.recursive);
  mount('/dev', descriptorPath(dev!.fd), null, MOUNT.bind | MOUNT.recursive);
  mount('slipway', descriptorPath(temporary!.fd), 'tmpfs', MOUNT.noSuid | MOUNT.noDevices, `mode=1777,size=${job.temporaryMegabytes}m`);
  for (const [index, { fd }] of targets.entries()) mount(`/binds/${index}`, descriptorPath(fd), null, MOUNT.bind | MOUNT.recursive);
  const place = `/image${proc!.path}`;
  maskKernel(place);
  process.chdir('/image');
  pivotRoot('.', '.');
  detachMount('.');
  process.chdir('/');
}

function maskKernel(proc: string): void {
  for (const name of MASKED_FILES) ifPresent(() => mount('/dev/null', `${proc}/${name}`, null, MOUNT.bind));
  for (const name of MASKED_DIRECTORIES)
    ifPresent(() =>
      mount('slipway', `${proc}/${name}`, 'tmpfs', MOUNT.readOnly | MOUNT.noSuid | MOUNT.noDevices | MOUNT.noExecution, 'mode=0755'),
    );
  for (const name of READ_ONLY) {
    const path = `${proc}/${name}`;
    ifPresent(() => {
      mount(path, path, null, MOUNT.bind | MOUNT.recursive);
      mount(null, path, null, MOUNT.bind | MOUNT.remount | MOUNT.readOnly | MOUNT.noSuid | MOUNT.noDevices | MOUNT.noExecution);
    });
  }
}

function ifPresent(action: () => void): void {
  try {
    action();
  } catch (error) {
    // Kernels differ in which files they have.
    if (!(error instanceof SystemError) || error.code !== 'ENOENT') throw error;
  }
}

function joinRoot(): void {
  unshare(CLONE_FS);
  enterNamespace(OTHER_MOUNTS, CLONE_NEWNS);
}

function giveUpRights(job: LaunchJob): void {
  leaveKeyring();
  limitResource(LIMIT.core, 0);
  limitResource(LIMIT.files, job.files);
  emptyBoundingSet();
  if (job.user !== undefined) {
    limitResource(LIMIT.processes, job.processes);
    process.setgroups!([]);
    process.setgid!(job.user);
    process.setuid!(job.user);
  }
  noNewPrivileges();
  dropCapabilities();
  process.umask(0o022);
}

/** Returns the candidate paths of a program, one for each directory of PATH, like a shell. */
function candidates({ command, env }: LaunchJob): readonly string[] {
  const [program = ''] = command;
  if (program.includes('/')) return [program];
  return (env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin').split(':').map((directory) => `${directory || '.'}/${program}`);
}

function become(job: LaunchJob): number {
  const env = Object.entries(job.env)
    .filter(([name, value]) => name !== '' && !/[=\0]/.test(name) && !value.includes('\0'))
    .map(([name, value]) => `${name}=${value}`);
  let failure: unknown;
  for (const file of candidates(job)) {
    try {
      execute(file, job.command, env);
    } catch (error) {
      const { code } = error as SystemError;
      if (failure === undefined || (code !== 'ENOENT' && code !== 'ENOTDIR')) failure = error;
      if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'EACCES') break;
    }
  }
  say(`${job.command[0] ?? ''} cannot be started: ${failure instanceof SystemError ? failure.code : String(failure)}`);
  return failure instanceof SystemError && (failure.code === 'ENOENT' || failure.code === 'ENOTDIR') ? 127 : 126;
}

const say = (text: string): void => void writeSync(2, `${text}\n`);

function launch(): number {
  try {
    const job = JSON.parse(readLine()) as LaunchJob;
    if (job.kind === 'start') {
      if (job.hostName !== undefined) setHostName(job.hostName);
      buildRoot(job);
    } else joinRoot();
    if (job.kind === 'start') {
      writeSync(STATUS, 'ready\n');
      readLine();
    }
    giveUpRights(job);
    changeDirectory(openInRoot(openSync('/', OPEN.path | OPEN.directory), job.cwd, OPEN.path | OPEN.directory));
    const filter = Buffer.from(job.filter, 'base64');
    if (job.kind === 'start') {
      writeSync(STATUS, 'started\n');
      closeSync(STATUS);
    }
    forgetNode();
    installFilter(filter);
    return become(job);
  } catch (error) {
    say(`The sandbox could not be set up: ${error instanceof Error ? error.message : String(error)}.`);
    return SETUP_FAILED;
  }
}

exitNow(launch());
