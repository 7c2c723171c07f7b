/**
 * Calls to the C library and the kernel that Node lacks. Each throws the kernel's error with `code` and the attempted action. Linux on
 * x86-64 and arm64, glibc or musl.
 */
import { constants } from 'node:os';
import koffi from 'koffi';

type Native = (...args: readonly unknown[]) => number;

const library = koffi.load(null);
const native = (name: string, result: string, parameters: string[]): Native => library.func(name, result, parameters) as unknown as Native;
/** Wraps a system call that older C libraries lack. The two columns are its numbers on x86-64 and arm64. */
const systemCall = (x64: number, arm64: number, parameters: string[]): Native => {
  const call = native('syscall', 'long', ['long', ...parameters]);
  return (...args) => call(process.arch === 'arm64' ? arm64 : x64, ...args);
};

export class SystemError extends Error {
  readonly code: string;
  constructor(action: string, number: number) {
    const code = Object.entries(constants.errno).find(([, value]) => value === number)?.[0] ?? `errno ${number}`;
    super(`${action}: ${code}`);
    this.code = code;
  }
}

const checked = (action: string, answer: number): number => {
  if (answer < 0) throw new SystemError(action, koffi.errno());
  return answer;
};

export const CLONE_FS = 0x200;
export const CLONE_NEWNS = 0x2_0000;
export const CLONE_NEWNET = 0x4000_0000;
export const MOUNT = { readOnly: 1, noSuid: 2, noDevices: 4, noExecution: 8, remount: 32, bind: 4096, recursive: 16384, private: 1 << 18 };
export const OPEN = { path: 0o10000000, directory: 0o200000, closeOnExec: 0o2000000, create: 0o100, exclusive: 0o200, writeOnly: 1 };
/** arm64 uses another bit for O_DIRECTORY. */
if (process.arch === 'arm64') OPEN.directory = 0o40000;

const setns = native('setns', 'int', ['int', 'int']);
const unshareCall = native('unshare', 'int', ['int']);
const mountCall = native('mount', 'int', ['str', 'str', 'str', 'ulong', 'str']);
const umount2 = native('umount2', 'int', ['str', 'int']);
const pivotRootCall = systemCall(155, 41, ['str', 'str']);
const openat2 = systemCall(437, 437, ['int', 'str', 'void *', 'size_t']);
const mkdirat = native('mkdirat', 'int', ['int', 'str', 'uint']);

/** Moves only this thread into another namespace. `fd` is one of /proc/…/ns. */
export const enterNamespace = (fd: number, type: number): void => void checked('entering a namespace', setns(fd, type));
export const unshare = (flags: number): void => void checked('making a namespace', unshareCall(flags));
export const mount = (source: string | null, target: string, type: string | null, flags: number, data: string | null = null): void =>
  void checked(`mounting ${target}`, mountCall(source, target, type, flags, data));
const MNT_DETACH = 2;
export const detachMount = (target: string): void => void checked(`unmounting ${target}`, umount2(target, MNT_DETACH));
export const pivotRoot = (root: string, old: string): void => void checked('changing the root', pivotRootCall(root, old));

const RESOLVE_NO_MAGICLINKS = 2;
const RESOLVE_IN_ROOT = 16;
/**
 * Opens `path` as if the directory `root` were the root: links are followed but never lead out of it. Rejects magic links of procfs.
 * Source: openat2(2).
 */
export function openInRoot(root: number, path: string, flags: number, mode = 0): number {
  const how = Buffer.alloc(24);
  how.writeBigUInt64LE(BigInt(flags | OPEN.closeOnExec), 0);
  how.writeBigUInt64LE(BigInt(mode), 8);
  how.writeBigUInt64LE(BigInt(RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS), 16);
  return checked(`opening ${path}`, openat2(root, path, how, how.length));
}
const fchdir = native('fchdir', 'int', ['int']);
export const changeDirectory = (directory: number): void => void checked('entering the working directory', fchdir(directory));
/** Creates a directory. Never follows the name itself: anything that exists there, even a link, causes EEXIST. */
export const makeDirectoryAt = (directory: number, name: string, mode: number): void =>
  void checked(`making ${name}`, mkdirat(directory, name, mode));

const socketCall = native('socket', 'int', ['int', 'int', 'int']);
const bindCall = native('bind', 'int', ['int', 'void *', 'uint']);
const ioctl = native('ioctl', 'int', ['int', 'ulong', 'void *']);
const closeCall = native('close', 'int', ['int']);
const AF_INET = 2;
const SOCK_STREAM_NONBLOCK_CLOEXEC = 1 | 0o4000 | 0o2000000;
const SIOCSIFFLAGS = 0x8914;
const IFF_UP_RUNNING = 0x41;

/** Returns an unconnected TCP socket over IPv4, permanently in the thread's network namespace. */
export const tcpSocket = (): number => checked('making a socket', socketCall(AF_INET, SOCK_STREAM_NONBLOCK_CLOEXEC, 0));

/** Binds a socket. `address` is in dotted form. */
export function bindTo(socket: number, address: string, port: number): void {
  const name = Buffer.alloc(16);
  name.writeUInt16LE(AF_INET, 0);
  name.writeUInt16BE(port, 2);
  name.set(address.split('.').map(Number), 4);
  checked(`listening on ${address}:${port}`, bindCall(socket, name, name.length));
}

export const closeDescriptor = (fd: number): void => void closeCall(fd);

/** Brings the loopback interface of the thread's network namespace up. */
export function bringLoopbackUp(): void {
  const socket = tcpSocket();
  try {
    const request = Buffer.alloc(40);
    request.write('lo');
    request.writeUInt16LE(IFF_UP_RUNNING, 16);
    checked('bringing loopback up', ioctl(socket, SIOCSIFFLAGS, request));
  } finally {
    closeDescriptor(socket);
  }
}

const prctl = native('prctl', 'int', ['int', 'ulong', 'ulong', 'ulong', 'ulong']);
const capset = systemCall(126, 91, ['void *', 'void *']);
const keyctl = systemCall(250, 219, ['int', 'void *']);
const seccomp = systemCall(317, 277, ['uint', 'uint', 'void *']);
const closeRange = systemCall(436, 436, ['uint', 'uint', 'uint']);
const setrlimit = native('setrlimit', 'int', ['int', 'void *']);
const getrlimit = native('getrlimit', 'int', ['int', 'void *']);
const sethostnameCall = native('sethostname', 'int', ['str', 'size_t']);
const signalCall = native('signal', 'void *', ['int', 'void *']);
const execve = native('execve', 'int', ['str', 'str *', 'str *']);
const PR_CAPBSET_DROP = 24;
const PR_SET_NO_NEW_PRIVS = 38;
const PR_CAP_AMBIENT = 47;
const PR_CAP_AMBIENT_CLEAR_ALL = 4;
const LAST_CAPABILITY = 63;

export const noNewPrivileges = (): void => void checked('giving up new privileges', prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));

/**
 * Drops all capabilities from the bounding set, so that no program can regain one. Dropping requires a capability itself, so this comes
 * first. Source: capabilities(7).
 */
export function emptyBoundingSet(): void {
  // The kernel has fewer than 64 capabilities. The first unknown one ends the loop.
  for (let capability = 0; capability <= LAST_CAPABILITY; capability++) if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0) break;
}

/** Clears all capability sets of this thread. */
export function dropCapabilities(): void {
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  const header = Buffer.alloc(8);
  header.writeUInt32LE(0x2008_0522, 0);
  checked('dropping capabilities', capset(header, Buffer.alloc(24)));
}

const KEYCTL_JOIN_SESSION_KEYRING = 1;
/**
 * Joins a new session keyring. Otherwise programs would share the keys of the user who started the server. Ignores errors, since kernels
 * without keyrings need none.
 */
export const leaveKeyring = (): void => void keyctl(KEYCTL_JOIN_SESSION_KEYRING, null);

export const setHostName = (name: string): void => void checked('setting the host name', sethostnameCall(name, Buffer.byteLength(name)));

export const LIMIT = { core: 4, processes: 6, files: 7 } as const;
/** Sets the soft and the hard limit. Keeps a lower limit. */
export function limitResource(resource: number, value: number): void {
  const both = Buffer.alloc(16);
  checked('reading a limit', getrlimit(resource, both));
  const hard = both.readBigUInt64LE(8);
  const limit = BigInt(value) < hard ? BigInt(value) : hard;
  both.writeBigUInt64LE(limit, 0);
  both.writeBigUInt64LE(limit, 8);
  checked('setting a limit', setrlimit(resource, both));
}

const SECCOMP_SET_MODE_FILTER = 1;
/** Installs a filter. `program` is an array of `struct sock_filter`. Applies to this thread and the programs it executes. */
export function installFilter(program: Buffer): void {
  const header = Buffer.alloc(16);
  header.writeUInt16LE(program.length / 8, 0);
  header.writeBigUInt64LE(koffi.address(program), 8);
  checked('installing the filter of system calls', seccomp(SECCOMP_SET_MODE_FILTER, 0, header));
}

const fcntl = native('fcntl', 'int', ['int', 'int', 'long']);
const F_SETFD = 2;
const CLOSE_RANGE_CLOEXEC = 4;
const SIGPIPE = 13;
/** Marks all descriptors close-on-exec, inherited ones too, so that child programs get only what they are given. */
export const keepDescriptors = (): void => void checked('closing descriptors', closeRange(3, 0xffff_ffff, CLOSE_RANGE_CLOEXEC));

/** Passes on only the three standard streams, and undoes Node's own settings: close-on-exec streams and ignored SIGPIPE. */
export function forgetNode(): void {
  keepDescriptors();
  for (const stream of [0, 1, 2]) fcntl(stream, F_SETFD, 0);
  signalCall(SIGPIPE, null);
}

/** Executes a program. Returns only by throwing. */
export const execute = (file: string, args: readonly string[], env: readonly string[]): void =>
  void checked(`starting ${file}`, execve(file, [...args, null], [...env, null]));

const exitCall = native('_exit', 'void', ['int']);
/** Exits immediately, for when the process lacks the rights for an orderly exit. */
export const exitNow = (code: number): void => void exitCall(code);
