/** What a program sees of the kernel below /proc, and where nothing of a service may be mounted. The same on every tier. */

/**
 * Covered, where the kernel has them: they tell of the machine or act on it. The kernel keeps most of them to root of the machine, which
 * nobody in a sandbox is; this is the second wall. As containers have it: the OCI runtime specification's `maskedPaths`.
 */
export const MASKED_FILES = [
  'buddyinfo',
  'cmdline',
  'config.gz',
  'diskstats',
  'dma',
  'interrupts',
  'iomem',
  'ioports',
  'kallsyms',
  'kcore',
  'key-users',
  'keys',
  'kmsg',
  'kpagecgroup',
  'kpagecount',
  'kpageflags',
  'latency_stats',
  'modules',
  'mtrr',
  'pagetypeinfo',
  'partitions',
  'sched_debug',
  'schedstat',
  'slabinfo',
  'softirqs',
  'swaps',
  'sysrq-trigger',
  'timer_list',
  'timer_stats',
  'vmallocinfo',
  'zoneinfo',
];
export const MASKED_DIRECTORIES = ['acpi', 'asound', 'bus', 'driver', 'fs', 'irq', 'scsi'];
/** Writing to `pressure` sets up triggers that the kernel works on for everybody. */
export const READ_ONLY = ['pressure', 'sys'];

/** The kernel's and the sandbox's own file systems. */
export const RESERVED = ['/proc', '/dev', '/sys', '/tmp'];
export const isWithin = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`);
export const isReserved = (path: string): boolean => path === '/' || RESERVED.some((entry) => isWithin(path, entry));
