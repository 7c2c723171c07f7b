/**
 * Finds the machine's own programs by absolute path in system directories first, so that PATH does not decide what runs with the server's
 * rights.
 */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const SYSTEM_DIRECTORIES = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin'];

export function findTool(name: string): string | undefined {
  const directories = [...SYSTEM_DIRECTORIES, ...(process.env['PATH'] ?? '').split(delimiter).filter((entry) => entry.startsWith('/'))];
  return directories.map((directory) => join(directory, name)).find(isExecutable);
}

/** Undefined if one of them is missing. */
export function findTools<Name extends string>(names: readonly Name[]): Record<Name, string> | undefined {
  const found = names.map((name) => [name, findTool(name)] as const);
  return found.every(([, path]) => path !== undefined) ? (Object.fromEntries(found) as Record<Name, string>) : undefined;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
