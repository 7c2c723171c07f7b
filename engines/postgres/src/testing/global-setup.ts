/**
 * Vitest global setup of the server's tests: one embedded PostgreSQL for the whole run, started by the first test file that asks
 * for a database and gone with the runner. Workers ask through a socket, since Vitest only passes values that exist beforehand.
 */
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { lockDirectory } from '@slipway/foundation/directory-lock.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../embedded-postgres.ts';
import type { Log } from '@slipway/foundation/ports/log.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Connect, and the connection of the test server comes back as JSON. */
    testPostgresSocket: string;
  }
}

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** Nothing here must outlive a crash, so nothing waits for the disk. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  autovacuum: 'off',
  shared_buffers: '64MB',
};

/** Tests make databases, and have PostgreSQL look for deadlocks at other times. */
const ADMISSION = {
  rights: 'nocreaterole createdb',
  databases: 'all',
  statements: ['grant set on parameter deadlock_timeout to platform'],
};

const PREFIX = 'slipway-test-';
const ABANDONED_MS = 60_000;

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  removeAbandoned();
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), PREFIX));
  const lock = lockDirectory(path.join(directory, 'run.lock'), 'This test run');
  // As root the server runs as a user of its own, who must be able to pass through.
  fs.chmodSync(directory, 0o711);
  let server: Promise<EmbeddedPostgres> | undefined;
  const door = net.createServer((socket) => {
    server ??= startEmbeddedPostgres({ dataDir: directory, log: silent, settings: SETTINGS, isDurable: false, admission: ADMISSION });
    server.then(
      ({ connection }) => socket.end(JSON.stringify({ connection })),
      (error: unknown) => socket.end(JSON.stringify({ error: String(error) })),
    );
    socket.on('error', () => {});
  });
  const file = path.join(directory, 'door');
  await new Promise<void>((resolve) => door.listen(file, resolve));
  project.provide('testPostgresSocket', file);
  return async () => {
    door.close();
    await (await server?.catch(() => undefined))?.stop();
    lock.release();
    fs.rmSync(directory, { recursive: true, force: true });
  };
}

/**
 * Removes directories that killed runs left on the disk: their lock is free.
 * Keeps young directories, because a run may be about to lock them.
 */
function removeAbandoned(): void {
  for (const name of fs.readdirSync(os.tmpdir()).filter((entry) => entry.startsWith(PREFIX))) {
    const directory = path.join(os.tmpdir(), name);
    const lockFile = path.join(directory, 'run.lock');
    try {
      if (Date.now() - fs.statSync(lockFile).ctimeMs < ABANDONED_MS) continue;
      lockDirectory(lockFile, name).release();
      fs.rmSync(directory, { recursive: true, force: true });
    } catch {
      // In use, or being removed by another run.
    }
  }
}
