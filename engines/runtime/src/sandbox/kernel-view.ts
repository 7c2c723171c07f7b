/** The parts of /proc that a program sees, and the places where a service's files may not be mounted. The same on every tier. */

/**
 * Masked if the kernel has them: they reveal or change the machine's state. The kernel reserves most of them for the machine's root, which
 * no sandboxed program is; masking is a second line of defense. Matches `maskedPaths` in the OCI runtime specification.
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
/** Writing to `pressure` registers triggers that cost the kernel work for the whole machine. */
export const READ_ONLY = ['pressure', 'sys'];

/** File systems of the kernel and the sandbox. */
export const RESERVED = ['/proc', '/dev', '/sys', '/tmp'];
export const isWithin = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`);
export const isReserved = (path: string): boolean => path === '/' || RESERVED.some((entry) => isWithin(path, entry));
