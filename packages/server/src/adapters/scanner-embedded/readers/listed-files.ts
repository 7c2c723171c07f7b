/** Files that packages of the system brought along, by the lists of package managers; paths without a leading slash. */

/** `var/lib/dpkg/info/{package}.list`: an absolute path in each line. */
export function* listedByDpkg(text: string): Generator<string> {
  for (const line of text.split('\n')) if (line.startsWith('/')) yield line.slice(1);
}

/** `F:` names a directory, `R:` each file in it. */
export function* listedByApk(text: string): Generator<string> {
  let directory = '';
  for (const line of text.split('\n')) {
    if (line.startsWith('F:')) directory = line.slice(2);
    else if (line.startsWith('R:')) yield directory === '' ? line.slice(2) : `${directory}/${line.slice(2)}`;
  }
}
