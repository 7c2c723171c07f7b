/** System calls that no program in a sandbox may make, as the text of a program that tries each. */

export interface CallResult {
  readonly answer: number;
  readonly errno: number;
}

/** Number on x86-64, on arm64 (-1: there is none), and arguments, the most harmless that would be let through. */
const CALLS: Readonly<Record<string, readonly [x64: number, arm64: number, args: readonly number[]]>> = {
  unshareUser: [272, 97, [0x1000_0000]],
  unshareMount: [272, 97, [0x2_0000]],
  unshareNetwork: [272, 97, [0x4000_0000]],
  cloneUser: [56, 220, [0x1000_0011]],
  clone3: [435, 435, [0, 88]],
  setns: [308, 268, [0, 0]],
  mount: [165, 40, [0, 0, 0, 4096]],
  umount2: [166, 39, [0, 2]],
  pivot_root: [155, 41, []],
  chroot: [161, 51, []],
  open_tree: [428, 428, [-100, 0, 1]],
  move_mount: [429, 429, []],
  fsopen: [430, 430, []],
  mount_setattr: [442, 442, []],
  ptrace: [101, 117, [0]],
  process_vm_readv: [310, 270, [1]],
  process_vm_writev: [311, 271, [1]],
  pidfd_getfd: [438, 438, []],
  kcmp: [312, 272, [1, 1, 0]],
  init_module: [175, 105, []],
  finit_module: [313, 273, [-1]],
  delete_module: [176, 106, []],
  kexec_load: [246, 104, []],
  bpf: [321, 280, [0]],
  perf_event_open: [298, 241, [0, 0, -1, -1]],
  add_key: [248, 217, []],
  request_key: [249, 218, []],
  keyctl: [250, 219, [0, -3, 1]],
  io_uring_setup: [425, 425, [1]],
  userfaultfd: [323, 282, [1]],
  open_by_handle_at: [304, 265, [-100]],
  swapon: [167, 224, []],
  reboot: [169, 142, []],
  clock_settime: [227, 112, []],
  sethostname: [170, 161, []],
  acct: [163, 89, []],
  quotactl: [179, 60, []],
  syslog: [103, 116, [10]],
  fanotify_init: [300, 262, []],
  lookup_dcookie: [212, 18, []],
  personalityOfOthers: [135, 92, [0x0400_0000]],
  socketVsock: [41, 198, [40, 1, 0]],
  socketAlg: [41, 198, [38, 5, 0]],
  socketPacket: [41, 198, [17, 3, 0]],
  socketAudit: [41, 198, [16, 3, 9]],
  terminalInput: [16, 29, [0, 0x5412]],
  iopl: [172, -1, [3]],
  modify_ldt: [154, -1, []],
};

/** An expression for a program in the sandbox: name of the call → what it answered. `koffi` is the library's place inside. */
export function forbiddenCalls(koffi: string): string {
  const column = process.arch === 'arm64' ? 1 : 0;
  const calls = Object.entries(CALLS).flatMap(([name, row]) => (row[column] === -1 ? [] : [[name, row[column], row[2]]]));
  return `(() => {
    const koffi = require(${JSON.stringify(koffi)});
    const call = koffi.load(null).func('syscall', 'long', ['long', 'long', 'long', 'long', 'long', 'long', 'long']);
    return Object.fromEntries(${JSON.stringify(calls)}.map(([name, number, args]) => {
      const answer = call(number, ...[0, 1, 2, 3, 4, 5].map((index) => args[index] ?? 0));
      return [name, { answer, errno: answer < 0 ? koffi.errno() : 0 }];
    }));
  })()`;
}
