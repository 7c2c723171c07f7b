/** What a program sees of the kernel below /proc, and where nothing of a service may be mounted. The same on every tier. */

/**
 * Covered, where the kernel has them: they tell of the machine or act on it. The kernel keeps most of them to root of the machine, which
 * nobody in a sandbox is; this is the second wall. As containers have it: the OCI runtime specification's `maskedPaths`.
 */
export const MASKED_FILES = [
  'kallsyms',
  'kcore',
  'key-users',
  'keys',
  'kmsg',
  'kpagecount',
  'kpageflags',
  'latency_stats',
  'sched_debug',
  'sysrq-trigger',
  'timer_list',
];
export const MASKED_DIRECTORIES = ['acpi', 'bus', 'fs', 'irq', 'scsi'];
export const READ_ONLY = ['sys'];

/** The kernel's and the sandbox's own file systems. */
export const RESERVED = ['/proc', '/dev', '/sys', '/tmp'];
export const isReserved = (path: string): boolean =>
  path === '/' || RESERVED.some((entry) => path === entry || path.startsWith(`${entry}/`));
