/** Which ref names a push may use: git's check-ref-format, within branches and tags alone. */

// oxlint-disable-next-line no-control-regex -- control characters are what git forbids
const forbidden = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(\/|$)|[/.]$/;

/** Bytes; longer names do not fit a file name with `.lock`. */
const maxSegment = 240;

export const isPushableRef = (name: string): boolean =>
  /^refs\/(heads|tags)\/[^./]/.test(name) &&
  !forbidden.test(name) &&
  name.split('/').every((part) => Buffer.byteLength(part) <= maxSegment) &&
  Buffer.byteLength(name) <= 1024;

export const branchOf = (ref: string): string | undefined => (ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : undefined);
