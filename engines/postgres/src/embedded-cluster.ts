/** Creates the embedded PostgreSQL's cluster on the first start. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { StartError } from '@slipway/foundation/start-error.ts';
import type { Log } from '@slipway/foundation/ports/log.ts';
import { handOver, nobody, type PostgresDirectory, type PostgresUser } from './embedded-directory.ts';

/** The role that creates the cluster and sets it up; see embedded-setup.ts. */
export const SUPERUSER = 'slipway';

const start = promisify(execFile);

const DRAFT_PREFIX = 'cluster.new-';

/** The operating system's locales differ between machines; the builtin locale sorts and folds case the same everywhere. */
const INITDB = ['-U', SUPERUSER, '-A', 'reject', '-E', 'UTF8', '--no-instructions', '--no-sync'];
const LOCALE = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];

export interface PrepareClusterOptions {
  readonly directory: PostgresDirectory;
  readonly programs: string;
  readonly isDurable: boolean;
  /** Runs on a new cluster before it is renamed to its final name. */
  readonly setUp: (cluster: string) => Promise<void>;
  readonly log: Log;
}

/**
 * Returns the cluster's directory. Creates a new cluster under a unique name and renames it, so that an interrupted first start leaves
 * no partial cluster. An initdb that outlives its killed parent cannot touch the next cluster either.
 */
export async function prepareCluster({ directory, programs, isDurable, setUp, log }: PrepareClusterOptions): Promise<string> {
  const { home, user } = directory;
  const cluster = path.join(home, 'cluster');
  for (const entry of fs.readdirSync(home))
    // An initdb that briefly outlives its parent may still write there.
    if (entry.startsWith(DRAFT_PREFIX)) fs.rmSync(path.join(home, entry), { recursive: true, force: true, maxRetries: 30, retryDelay: 20 });
  if (fs.existsSync(cluster)) return cluster;
  const startedAt = performance.now();
  const draft = path.join(home, `${DRAFT_PREFIX}${randomUUID()}`);
  const initdb = path.join(programs, 'bin/initdb');
  if (user) await makeAsNamedUser(initdb, draft, user);
  else await make([initdb], draft, undefined);
  await setUp(draft);
  // Syncs everything to disk once, since the steps before did not.
  if (isDurable) await run([initdb, '--sync-only', '-D', draft], draft, user);
  fs.renameSync(draft, cluster);
  if (isDurable) syncDirectory(home);
  log.info({ directory: cluster, durationMs: Math.round(performance.now() - startedAt) }, 'Created the embedded PostgreSQL cluster');
  return cluster;
}

const make = (initdb: readonly string[], target: string, user: PostgresUser | undefined): Promise<void> =>
  run([...initdb, '-D', target, ...INITDB, ...LOCALE], target, user);

async function run([program = '', ...args]: readonly string[], target: string, user: PostgresUser | undefined): Promise<void> {
  try {
    await start(program, args, { ...user, cwd: '/', env: { PATH: process.env.PATH, TZ: 'UTC' } });
  } catch (cause) {
    const said = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : '';
    const detail = said || String(cause);
    throw new StartError(`PostgreSQL could not create its cluster in ${path.dirname(target)}: ${detail}`, { cause });
  }
}

/**
 * Unlike the server, initdb needs a user with a name, and ours has none. In its own user namespace initdb sees itself as `nobody`, while
 * for the machine and in its files it is our user.
 */
async function makeAsNamedUser(initdb: string, draft: string, user: PostgresUser): Promise<void> {
  const named = nobody();
  const renamed = ['unshare', '--user', `--map-user=${named.uid}`, `--map-group=${named.gid}`, '--'];
  const [program = '', ...args] = renamed;
  const isPermitted = await start(program, [...args, 'true'], { ...user, cwd: '/' }).then(
    () => true,
    () => false,
  );
  if (isPermitted) await make([...renamed, initdb], draft, user);
  else await makeAsOther(initdb, draft, user, named);
}

/**
 * Without user namespaces, `nobody` creates the cluster in a separate directory. The final cluster is a copy, so that no other process
 * of `nobody` can hold a descriptor of its files.
 */
async function makeAsOther(initdb: string, draft: string, user: PostgresUser, named: PostgresUser): Promise<void> {
  const workshop = `${draft}-made`;
  const home = path.dirname(draft);
  fs.mkdirSync(workshop, { mode: 0o700 });
  fs.chownSync(workshop, named.uid, named.gid);
  // Safe: the home contains nothing else yet.
  fs.chmodSync(home, 0o711);
  try {
    await make([initdb], path.join(workshop, 'cluster'), named);
    await start('cp', ['-Rp', path.join(workshop, 'cluster'), draft]);
    handOver(draft, user);
  } finally {
    fs.chmodSync(home, 0o700);
    fs.rmSync(workshop, { recursive: true, force: true });
  }
}

/** Syncs a directory, so that a new name in it survives a power failure. */
function syncDirectory(directory: string): void {
  const descriptor = fs.openSync(directory, 'r');
  fs.fsyncSync(descriptor);
  fs.closeSync(descriptor);
}
