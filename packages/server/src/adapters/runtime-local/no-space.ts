/** Tells that there is no space left on a disk: the instance's own from what its program says, the platform's from an error. */

const NO_SPACE = /\bENOSPC\b|No space left on device/i;
const MAX_CAUSES = 8;

export const saysNoSpace = (line: string): boolean => NO_SPACE.test(line);

/** Also where it is only the cause of what was thrown. */
export function isNoSpace(error: unknown): boolean {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth++) {
    if ((current as NodeJS.ErrnoException).code === 'ENOSPC') return true;
    current = current.cause;
  }
  return false;
}

export const PLATFORM_DISK_FULL = 'the disk of the platform is full';
