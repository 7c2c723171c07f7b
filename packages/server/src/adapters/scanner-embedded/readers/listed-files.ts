/** Files that belong to system packages, from the lists of package managers. Paths have no leading slash. */

/** Parses `var/lib/dpkg/info/{package}.list`: one absolute path per line. */
export function* listedByDpkg(text: string): Generator<string> {
  for (const line of text.split('\n')) if (line.startsWith('/')) yield line.slice(1);
}

/** Parses `F:` lines, which name a directory, and `R:` lines, which name its files. */
export function* listedByApk(text: string): Generator<string> {
  let directory = '';
  for (const line of text.split('\n')) {
    if (line.startsWith('F:')) directory = line.slice(2);
    else if (line.startsWith('R:')) yield directory === '' ? line.slice(2) : `${directory}/${line.slice(2)}`;
  }
}
