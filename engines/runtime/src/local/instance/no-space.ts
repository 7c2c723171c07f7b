/** Detects in a program's output that its disk is full. */

const NO_SPACE = /\bENOSPC\b|No space left on device/i;

export const saysNoSpace = (line: string): boolean => NO_SPACE.test(line);
