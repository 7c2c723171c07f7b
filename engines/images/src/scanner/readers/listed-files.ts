/** Files that belong to packages, from the lists of package managers. Paths have no leading slash. */
import { posix } from 'node:path';

/** Parses `var/lib/dpkg/info/{package}.list`, one absolute path per line, and `status.d/{package}.md5sums`, with a hash before each path. */
export function* listedByDpkg(text: string): Generator<string> {
  for (const line of text.split('\n')) {
    const [, path] = /^(?:\/|[0-9a-f]{32} {2}(?:\.\/)?)(.+)$/.exec(line) ?? [];
    if (path !== undefined) yield path;
  }
}

/** Parses the `RECORD` of a Python package: paths relative to the directory that contains its `.dist-info`. */
export function* listedByPip(text: string, record: string): Generator<string> {
  for (const line of text.split('\n')) {
    const [, quoted, plain] = /^(?:"([^"]+)"|([^,"]+)),/.exec(line) ?? [];
    const path = quoted ?? plain;
    if (path !== undefined) yield posix.join(posix.dirname(record), '..', path);
  }
}

/** Parses `F:` lines, which name a directory, and `R:` lines, which name its files. */
export function* listedByApk(text: string): Generator<string> {
  let directory = '';
  for (const line of text.split('\n')) {
    if (line.startsWith('F:')) directory = line.slice(2);
    else if (line.startsWith('R:')) yield directory === '' ? line.slice(2) : `${directory}/${line.slice(2)}`;
  }
}

/** Returns a path in its spelling for comparison: `bin`, `sbin` and `lib` may be links to directories of that name in `usr`. */
export const mergedPath = (path: string): string => path.replace(/^usr\/(?=(?:s?bin|lib\w*)\/)/, '');
