/**
 * A program without a C library, an interpreter or any other file: an executable for Linux on x86-64 that makes the given system calls in a
 * loop. After each call it writes the kernel's result, eight bytes, to its output. It runs where no other program could.
 */
const BASE = 0x40_0000;
const HEADERS = 120;
const SCRATCH_BYTES = 8192;
const LISTED_BYTES = 4096;
const WORDS = 7;
export const SCRATCH = Symbol('scratch');
export type Argument = number | string | typeof SCRATCH;
/** A system call number and its arguments. Strings are passed by address, and so is `SCRATCH`, an 8 KiB buffer. */
export type Call = readonly [number: number, ...args: Argument[]];

export const NUMBERS = {
  write: 1,
  open: 2,
  close: 3,
  nanosleep: 35,
  exit: 60,
  rename: 82,
  mkdir: 83,
  creat: 85,
  link: 86,
  symlink: 88,
  getdents64: 217,
} as const;

/** Makes the calls of the table in order, then starts over. */
const code = (table: number): Buffer => {
  const start = Buffer.from([0x48, 0xbb, 0, 0, 0, 0, 0, 0, 0, 0]);
  start.writeBigUInt64LE(BigInt(table), 2);
  const body = Buffer.from(
    [
      '488b03', // mov rax, [rbx]
      '4885c0', // test rax, rax
      '7836', // js to the last jump
      '488b7b08488b7310488b5318', // mov rdi, [rbx+8]; mov rsi, [rbx+16]; mov rdx, [rbx+24]
      '4c8b53204c8b43284c8b4b30', // mov r10, [rbx+32]; mov r8, [rbx+40]; mov r9, [rbx+48]
      '0f0550', // syscall; push rax
      'b801000000bf010000004889e6ba080000000f0558', // write(1, rsp, 8); pop rax
      '4883c338', // add rbx, 56
      'ebc2', // jmp to the first line
      'ebb6', // jmp to the start
    ].join(''),
    'hex',
  );
  return Buffer.concat([start, body]);
};

export function staticProgram(calls: readonly Call[]): Buffer {
  const length = code(0).length;
  const table = BASE + HEADERS + length;
  const texts: Buffer[] = [];
  let end = table + 8 * (calls.length * WORDS + 1);
  const textAt = (text: string): number => {
    const bytes = Buffer.from(`${text}\0`);
    texts.push(bytes);
    end += bytes.length;
    return end - bytes.length;
  };
  const rows = calls.map((call) => call.map((value) => (typeof value === 'string' ? textAt(value) : value)));
  const words = rows.flatMap((row) => Array.from({ length: WORDS }, (_none, index) => row[index] ?? 0));
  const data = Buffer.alloc(8 * (words.length + 1), 0xff);
  for (const [index, word] of words.entries()) data.writeBigInt64LE(BigInt(word === SCRATCH ? end : Number(word)), 8 * index);
  const content = Buffer.concat([code(table), data, ...texts]);
  return Buffer.concat([headers(content.length), content]);
}

/** Returns ELF headers with one loadable segment that holds everything. Source: elf(5). */
function headers(length: number): Buffer {
  const bytes = Buffer.alloc(HEADERS);
  Buffer.from('7f454c46020101', 'hex').copy(bytes);
  bytes.writeUInt16LE(2, 16);
  bytes.writeUInt16LE(62, 18);
  bytes.writeUInt32LE(1, 20);
  bytes.writeBigUInt64LE(BigInt(BASE + HEADERS), 24);
  bytes.writeBigUInt64LE(64n, 32);
  bytes.writeUInt16LE(64, 52);
  bytes.writeUInt16LE(56, 54);
  bytes.writeUInt16LE(1, 56);
  bytes.writeUInt32LE(1, 64);
  bytes.writeUInt32LE(7, 68);
  bytes.writeBigUInt64LE(BigInt(BASE), 80);
  bytes.writeBigUInt64LE(BigInt(BASE), 88);
  bytes.writeBigUInt64LE(BigInt(HEADERS + length), 96);
  bytes.writeBigUInt64LE(BigInt(HEADERS + length + SCRATCH_BYTES), 104);
  bytes.writeBigUInt64LE(0x1000n, 112);
  return bytes;
}

/** Returns the results of one or more rounds of calls. A `write` of the scratch buffer to the output includes its content. */
export function answersOf(calls: readonly Call[], output: Buffer): readonly { readonly result: number; readonly shown: string }[] {
  const found = [];
  for (let at = 0, index = 0; ; index++) {
    const [number, output1, , count] = calls[index % calls.length] ?? [];
    const bytes = number === NUMBERS.write && output1 === 1 ? Number(count) : 0;
    if (at + bytes + 8 > output.length) return found;
    const shown = output.subarray(at, at + bytes).toString('latin1');
    found.push({ result: Number(output.readBigInt64LE(at + bytes)), shown });
    at += bytes + 8;
  }
}

/** Opens a directory and lists its names. */
export const listing = (path: string): readonly Call[] => [
  [NUMBERS.open, path, 0],
  [NUMBERS.getdents64, 3, SCRATCH, LISTED_BYTES],
  [NUMBERS.write, 1, SCRATCH, LISTED_BYTES],
  [NUMBERS.close, 3],
];
