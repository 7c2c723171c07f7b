/** Finds the packages that a workspace needs at run time, in the lock file: without tools, tests and the console's libraries. */

export interface LockedPackage {
  readonly link?: boolean;
  readonly resolved?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}
export type Lock = Readonly<Record<string, LockedPackage>>;

/** Looks for a package as Node does: beside the one that needs it, then in the folders above. */
const locate = (lock: Lock, from: string, name: string): string | undefined => {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/'), 0))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (lock[path]) return path;
    if (folder === '') return undefined;
  }
};

/** Returns the sorted paths of all packages that `root` needs, links to workspaces and the workspaces themselves included. */
export const closureOf = (lock: Lock, root: string, isLeftOut: (path: string) => boolean = () => false): string[] => {
  const found = new Set([root]);
  // A set visits what is added during the loop.
  for (const path of found) {
    const { dependencies, link, optionalDependencies, peerDependencies, resolved } = lock[path] ?? {};
    if (link === true && resolved !== undefined) {
      found.add(resolved);
      continue;
    }
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const needed = locate(lock, path, name);
      // Optional packages of other systems are in no lock, and peers may be missing.
      if (needed !== undefined && !isLeftOut(needed)) found.add(needed);
      else if (needed === undefined && dependencies?.[name] !== undefined && optionalDependencies?.[name] === undefined)
        throw new Error(`${path} needs ${name}, which the lock file lacks`);
    }
  }
  return [...found].toSorted();
};
