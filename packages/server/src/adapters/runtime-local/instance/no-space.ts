/** Tells from what an instance's program says that there is no space left on its own disk. */

const NO_SPACE = /\bENOSPC\b|No space left on device/i;

export const saysNoSpace = (line: string): boolean => NO_SPACE.test(line);
