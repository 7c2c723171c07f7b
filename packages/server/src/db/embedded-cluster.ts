/** Makes the embedded PostgreSQL's cluster on the first start. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Log } from '#ports/log.ts';
import type { PostgresDirectory } from './embedded-directory.ts';

export const CLUSTER_USER = 'slipway';

const DRAFT_PREFIX = 'cluster.new-';

/** The operating system's locales differ between machines; the builtin one sorts and folds the same everywhere. */
const INITDB = ['-U', CLUSTER_USER, '-A', 'trust', '-E', 'UTF8', '--no-instructions'];
const LOCALE = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];

export interface PrepareClusterOptions {
  readonly directory: PostgresDirectory;
  readonly programs: string;
  readonly isDurable: boolean;
  readonly log: Log;
}

/**
 * Answers the cluster's directory. A new one is made under a name of its own and renamed, so that an interrupted first start
 * leaves no half a cluster, and so that an initdb which outlived its killed parent cannot reach the one made after it.
 */
export async function prepareCluster({ directory, programs, isDurable, log }: PrepareClusterOptions): Promise<string> {
  const { home, user } = directory;
  const cluster = path.join(home, 'cluster');
  for (const entry of fs.readdirSync(home))
    // An initdb that outlives its owner for a moment may still write there.
    if (entry.startsWith(DRAFT_PREFIX)) fs.rmSync(path.join(home, entry), { recursive: true, force: true, maxRetries: 30, retryDelay: 20 });
  if (fs.existsSync(cluster)) return cluster;
  const startedAt = performance.now();
  const draft = path.join(home, `${DRAFT_PREFIX}${randomUUID()}`);
  const args = ['-D', draft, ...INITDB, ...LOCALE, ...(isDurable ? [] : ['--no-sync'])];
  try {
    await promisify(execFile)(path.join(programs, 'bin/initdb'), args, { ...user, cwd: '/', env: { PATH: process.env.PATH, TZ: 'UTC' } });
  } catch (cause) {
    const detail = (cause as { stderr?: string }).stderr?.trim() || String(cause);
    throw new Error(`PostgreSQL could not create its cluster in ${home}: ${detail}`, { cause });
  }
  fs.renameSync(draft, cluster);
  log.info({ directory: cluster, durationMs: Math.round(performance.now() - startedAt) }, 'Created the embedded PostgreSQL cluster');
  return cluster;
}
