/** Reads a database's row as the contract shows it: state, credentials, draft, and what the caller may do. */
import { sql } from 'kysely';
import { databaseReadConnections } from '@slipway/contract/database/database-plan.ts';
import type { Database } from '@slipway/contract/database/database.ts';
import { changeRule, draftOf, endFormerRule, formerOf, rotateRule, runColumns, type RunState } from '#modules/resources/index.ts';
import { isInUseSql } from '#modules/secret-groups/index.ts';
import { loginName } from '#ports/databases.ts';
import { summaryColumn, summaryOf, type SummaryColumn } from './backups/summary.sql.ts';
import { ownerCredential, ownerUser } from './credentials.ts';
import { isSame } from './database-plans.ts';
import { readerKeyOf, settingsOf, targetOf, type DatabaseRow } from './database-rows.ts';

export interface Row extends DatabaseRow, RunState {
  readonly is_in_use: boolean;
  readonly is_reader_in_use: boolean;
  readonly backups: SummaryColumn;
}
export const columns = sql`database.*, ${runColumns('database', 'database')},
  ${summaryColumn} as backups,
  ${isInUseSql(sql`database.app_id`, sql`database.environment`, sql`database.secret_group`)} as is_in_use,
  ${isInUseSql(sql`database.app_id`, sql`database.environment`, sql`database.reader_group`)} as is_reader_in_use`;

const provisioningOf = ({ busy, last, size_bytes }: Row): Database['status']['provisioning'] => {
  const state = busy ?? last;
  if (state === 'QUEUED' || state === 'PENDING') return 'PENDING';
  if (state === 'RUNNING') return 'RUNNING';
  if (state === 'FAILED' || state === 'CANCELED') return 'FAILED';
  return size_bytes === null ? 'UNKNOWN' : 'COMPLETED';
};

const canOf = (row: Row): Database['can'] => {
  // Settings cannot change while the database's pipeline runs (core §4).
  const change = changeRule(row, { busy: 'DatabasePipelineRunning', missing: 'DatabaseNotCreated' });
  const readerKept = row.is_reader_in_use ? 'SecretIsReferencedInAtLeastOneStack' : true;
  const kept = row.is_in_use ? 'SecretIsReferencedInAtLeastOneStack' : readerKept;
  const opens = row.active ? true : 'DatabaseInactive';
  return {
    update: change,
    delete: change === 'DatabasePipelineRunning' ? change : kept,
    activate: change,
    rotate: change === true && !row.active ? 'DatabaseInactive' : rotateRule(ownerCredential(row), change),
    endFormerPassword: endFormerRule(ownerCredential(row)),
    setReader: change === true ? (row.reader_version === null ? opens : readerKept) : change,
  };
};

const credentialsOf = (row: Row): Database['credentials'] => {
  const { login, credentials_version: version, credentials_at: changedAt } = row;
  if (login === null || version === null || changedAt === null) return null;
  const former = formerOf(ownerCredential(row), (turn) => ownerUser(row, turn));
  return { user: loginName(targetOf(row), login), version, changedAt: changedAt.toISOString(), former };
};
const readerOf = (row: Row): Database['reader'] => {
  const { reader_login: login, reader_version: version, max_connections: all } = row;
  if (login === null || version === null) return null;
  const user = loginName(targetOf(row), login);
  return { secretGroup: readerKeyOf(row).group, user, version, maxConnections: databaseReadConnections(all) };
};

export const toView = (row: Row): Database => {
  const { host, port, ssl_mode: sslMode } = row;
  return {
    name: row.name,
    app: row.app_id,
    environment: row.environment,
    ...settingsOf(row),
    region: row.region,
    active: row.active,
    state: row.state,
    secretGroup: row.secret_group,
    connection: host === null || port === null || sslMode === null ? null : { host, port, sslMode, database: row.server_name },
    credentials: credentialsOf(row),
    reader: readerOf(row),
    status: {
      provisioning: provisioningOf(row),
      pipelineId: row.pipeline_id,
      engineVersion: row.engine_version,
      sizeBytes: row.size_bytes,
      connections: row.size_bytes === null ? null : row.connections.reduce((sum, { count }) => sum + count, 0),
      connectionsBy: row.connections,
      isReadOnly: row.is_read_only,
      isClosed: row.is_closed,
      observedAt: row.observed_at?.toISOString() ?? null,
    },
    draft: draftOf(row, (after) => isSame(settingsOf(row), after)),
    backups: summaryOf(row),
    createdAt: row.created_at.toISOString(),
    createdBy: { id: row.created_by, displayName: row.created_by_name },
    can: canOf(row),
  };
};
