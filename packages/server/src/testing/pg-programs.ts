/**
 * PostgreSQL's own client programs, as a reference for our copies of databases. Looks for a version that fits the embedded server on the
 * PATH and in a cache, which `npm test` fills.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import path from 'node:path';

/** Major version of the embedded server. An older pg_dump refuses the server. */
const OLDEST_MAJOR = 18;
export const pgProgramsCache = fileURLToPath(new URL('../../../../node_modules/.cache/slipway-postgresql', import.meta.url));

const cached = (): string[] => {
  try {
    return readdirSync(pgProgramsCache).map((name) => path.join(pgProgramsCache, name, 'bin'));
  } catch {
    return [];
  }
};

/** Returns the path of a program, or undefined if no version fits. */
export const pgProgram = (name: 'pg_dump' | 'pg_restore'): string | undefined => {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), ...cached()];
  return folders
    .map((folder) => path.join(folder, name))
    .find((program) => {
      const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
      return Number(/\(PostgreSQL\) (\d+)/.exec(stdout ?? '')?.[1] ?? 0) >= OLDEST_MAJOR;
    });
};
