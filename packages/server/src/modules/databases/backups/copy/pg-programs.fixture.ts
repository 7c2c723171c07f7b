/**
 * PostgreSQL's own client programs, as a reference for our copies of databases. Looks for a version that fits the embedded server on the
 * PATH and in a cache, which `npm test` fills.
 */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import { findProgram, pathFolders } from './pg-programs.ts';

/** Major version of the embedded server. An older pg_dump refuses the server. */
const OLDEST_MAJOR = 18;
export const pgProgramsCache = fileURLToPath(new URL('../../../../../../../node_modules/.cache/slipway-postgresql', import.meta.url));

const cached = (): string[] => {
  try {
    return readdirSync(pgProgramsCache).map((name) => path.join(pgProgramsCache, name, 'bin'));
  } catch {
    return [];
  }
};

/** Returns the path of pg_dump, beside which pg_restore is, or undefined if no version fits. */
export const findPgDump = (): Promise<string | undefined> => findProgram('pg_dump', OLDEST_MAJOR, [...pathFolders(), ...cached()]);
