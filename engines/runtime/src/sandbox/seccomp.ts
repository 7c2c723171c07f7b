/**
 * System calls that a foreign program may make, as a kernel filter (BPF, for the launcher and bubblewrap) and as a profile for OCI
 * runtimes. Other calls return EPERM. `clone3` returns ENOSYS, since no filter can read its arguments, and C libraries fall back to
 * `clone`.
 */
import { readFileSync } from 'node:fs';

const EPERM = 1;
const ENOSYS = 38;
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const CLONE_NEW_NAMESPACES = 0x7e02_0000;
/** AF_UNIX, AF_INET, AF_INET6. */
const SOCKET_FAMILIES = [1, 2, 10];
const AF_NETLINK = 16;
const NETLINK_ROUTE = 0;
/** ADDR_NO_RANDOMIZE is used by debuggers; PER_LINUX, PER_LINUX32 and the query are harmless, as in Moby's profile. */
const PERSONALITIES = [0, 8, 0x0002_0000, 0x0002_0008, 0xffff_ffff];
/** TIOCSTI and TIOCLINUX inject input into a terminal. */
const FORBIDDEN_REQUESTS = [0x5412, 0x541c];

interface Architecture {
  /** AUDIT_ARCH_… of linux/audit.h. */
  readonly audit: number;
  readonly column: 1 | 2;
  readonly oci: string;
  readonly clone: number;
  readonly clone3: number;
  readonly socket: number;
  readonly ioctl: number;
  readonly personality: number;
}
const ARCHITECTURES: Readonly<Partial<Record<NodeJS.Architecture, Architecture>>> = {
  x64: { audit: 0xc000_003e, column: 1, oci: 'SCMP_ARCH_X86_64', clone: 56, clone3: 435, socket: 41, ioctl: 16, personality: 135 },
  arm64: { audit: 0xc000_00b7, column: 2, oci: 'SCMP_ARCH_AARCH64', clone: 220, clone3: 435, socket: 198, ioctl: 29, personality: 92 },
};
/** On x86-64, numbers from here on are the x32 interface, which would bypass the filter. */
const X32 = 0x4000_0000;

const architecture = (): Architecture => {
  const found = ARCHITECTURES[process.arch];
  if (!found) throw new Error(`There is no list of system calls for ${process.arch}.`);
  return found;
};

let rows: readonly (readonly string[])[] | undefined;

/** Read once: the installation may be replaced or removed while instances still start. */
const allowedRows = (): readonly (readonly string[])[] => (rows ??= readRows());

const readRows = (): readonly (readonly string[])[] =>
  readFileSync(new URL('./allowed-system-calls.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(' '));

/** Offsets into struct seccomp_data (linux/seccomp.h). Both architectures are little-endian: the low half of an argument comes first. */
const NUMBER = 0;
const AUDIT = 4;
const argument = (index: number): number => 16 + 8 * index;

type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, value: number];
const LOAD = 0x20;
const AND = 0x54;
const EQUAL = 0x15;
const AT_LEAST = 0x35;
const RETURN = 0x06;
const ALLOW: Instruction = [RETURN, 0, 0, 0x7fff_0000];
const errno = (value: number): Instruction => [RETURN, 0, 0, 0x0005_0000 | value];
const load = (offset: number): Instruction => [LOAD, 0, 0, offset];

/** Runs `block`, which must end with returns, for the given call number. */
const whenCall = (number: number, block: readonly Instruction[]): readonly Instruction[] => [[EQUAL, 0, block.length, number], ...block];
/** Allows the call if the loaded value is in the list, otherwise rejects it. */
const oneOf = (values: readonly number[]): readonly Instruction[] => [
  ...values.map((value, index): Instruction => [EQUAL, values.length - index, 0, value]),
  errno(EPERM),
  ALLOW,
];

/** Returns the compiled filter: consecutive `struct sock_filter` entries, 8 bytes each. */
export function seccompFilter(): Buffer {
  const own = architecture();
  const numbers = allowedRows().flatMap((row) => (row[own.column] === '-' ? [] : [Number(row[own.column])]));
  const program: readonly Instruction[] = [
    load(AUDIT),
    [EQUAL, 1, 0, own.audit],
    errno(EPERM),
    load(NUMBER),
    ...(own.column === 1 ? ([[AT_LEAST, 0, 1, X32], errno(EPERM)] as const) : []),
    ...whenCall(own.clone, [load(argument(0)), [AND, 0, 0, CLONE_NEW_NAMESPACES], ...oneOf([0])]),
    ...whenCall(own.clone3, [errno(ENOSYS)]),
    ...whenCall(own.socket, [
      load(argument(0)),
      [EQUAL, 0, 2, AF_NETLINK],
      load(argument(2)),
      [EQUAL, SOCKET_FAMILIES.length + 1, SOCKET_FAMILIES.length, NETLINK_ROUTE],
      ...oneOf(SOCKET_FAMILIES),
    ]),
    ...whenCall(own.ioctl, [
      load(argument(1)),
      ...FORBIDDEN_REQUESTS.map((value, index): Instruction => [EQUAL, FORBIDDEN_REQUESTS.length - index, 0, value]),
      ALLOW,
      errno(EPERM),
    ]),
    ...whenCall(own.personality, [load(argument(0)), ...oneOf(PERSONALITIES)]),
    // A jump covers at most 255 instructions, so each number has its own return after it.
    ...numbers.flatMap((number) => whenCall(number, [ALLOW])),
    errno(EPERM),
  ];
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, jumpTrue, jumpFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(jumpTrue, index * 8 + 2);
    bytes.writeUInt8(jumpFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}

/** Returns the same filter as `linux.seccomp` of an OCI runtime's configuration. */
export function seccompProfile(): object {
  const own = architecture();
  const allow = (names: readonly string[], args: readonly object[] = []): object => ({ names, action: 'SCMP_ACT_ALLOW', args });
  const equal = (index: number, value: number): object => ({ index, value, op: 'SCMP_CMP_EQ' });
  return {
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: EPERM,
    architectures: [own.oci],
    syscalls: [
      allow(allowedRows().flatMap((row) => (row[own.column] === '-' ? [] : [row[0] ?? '']))),
      allow(['clone'], [{ index: 0, value: CLONE_NEW_NAMESPACES, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }]),
      { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: ENOSYS },
      ...SOCKET_FAMILIES.map((family) => allow(['socket'], [equal(0, family)])),
      allow(['socket'], [equal(0, AF_NETLINK), equal(2, NETLINK_ROUTE)]),
      // A profile cannot express "all but these" for the low half of an argument. Allowed, as in Moby's profile: a sandbox has no terminal
      // anyway.
      allow(['ioctl']),
      ...PERSONALITIES.map((value) => allow(['personality'], [equal(0, value)])),
    ],
  };
}
