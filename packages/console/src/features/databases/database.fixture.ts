/** A database as the server returns it, for tests. */
import type { DatabaseBackup } from '@slipway/contract/database/backup.ts';
import type { Database } from '@slipway/contract/database/database.ts';

export const place = { app: 'berth', env: 'development', database: 'berthplans' } as const;

export const databaseOf = (change: Partial<Database> = {}): Database => ({
  name: 'berthplans',
  app: 'berth',
  environment: 'development',
  displayName: 'Berth plans',
  region: 'WESTEUROPE',
  plan: 'GENERAL_2',
  storageGb: 64,
  maxConnections: 100,
  backupRetentionDays: 14,
  active: true,
  state: 'ACTIVE',
  secretGroup: 'berth-berthplans',
  connection: { host: '127.0.0.1', port: 5432, database: 'berthplans_k3f9', sslMode: 'disable' },
  credentials: { user: 'berthplans_k3f9_a', version: 1, changedAt: '2026-11-20T12:00:00.000Z', former: null },
  reader: null,
  status: {
    provisioning: 'COMPLETED',
    pipelineId: 'pl_1',
    engineVersion: '18.1',
    sizeBytes: 1024 ** 3,
    connections: 3,
    connectionsBy: [],
    isReadOnly: false,
    isClosed: false,
    observedAt: new Date().toISOString(),
  },
  backups: { nextAt: null, lastAt: null, lastSizeBytes: null, lastCheck: null, count: 0, warning: null },
  draft: null,
  createdAt: '2026-11-20T12:00:00.000Z',
  createdBy: { id: 'ingrid', displayName: 'Ingrid Solheim' },
  can: { update: true, delete: true, activate: true, rotate: true, endFormerPassword: true, setReader: true },
  ...change,
});
export const withStatus = (status: Partial<Database['status']>, change: Partial<Database> = {}): Database => {
  const database = databaseOf(change);
  return { ...database, status: { ...database.status, ...status } };
};

export const backupOf = (change: Partial<DatabaseBackup> = {}): DatabaseBackup => ({
  id: 'bk_1',
  database: 'berthplans',
  app: 'berth',
  environment: 'development',
  kind: 'SCHEDULED',
  state: 'COMPLETED',
  isOfDeleted: false,
  createdAt: '2026-11-20T03:12:00.000Z',
  createdBy: null,
  startedAt: '2026-11-20T03:12:00.000Z',
  finishedAt: '2026-11-20T03:12:41.000Z',
  takenAt: '2026-11-20T03:12:00.000Z',
  durationMs: 41_000,
  sizeBytes: 1024 ** 3,
  tables: 4,
  rows: 100,
  sha256: 'ab',
  serverVersion: '18.1',
  platformVersion: '0.1.0',
  failure: null,
  check: { state: 'PASSED', at: '2026-11-20T03:14:00.000Z', durationMs: 900, failure: null },
  expiresAt: '2026-12-04T03:12:00.000Z',
  can: { delete: true, check: true, restore: true },
  ...change,
});
