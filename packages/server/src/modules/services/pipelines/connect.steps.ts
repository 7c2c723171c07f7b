/** Connects a service to a repository. From then on, pushes to its default branch are deployed to development. */
import { sql } from 'kysely';
import { transaction, type Db } from '#db/database.ts';
import { StepFailure, type StepResult } from '#modules/pipelines/index.ts';
import type { SourceHost } from '#ports/source.ts';
import { hint } from './rollout.sql.ts';
import { requireRow, type ServiceContext } from './service-pipeline.ts';
import type { ServiceKey, ServiceRef } from '../services.sql.ts';

export interface Connection {
  /** Null if not connected. */
  readonly repository: string | null;
  /** Last commit that counts as built. */
  readonly commit: string | null;
}
export interface ConnectInput extends ServiceKey {
  readonly repository: string | null;
  /** The approved commit. Defaults to the newest one at the time of the run. */
  readonly commit?: string;
  /** Connection before the step, restored by its undo. */
  readonly connectedBefore: Connection;
}
export interface ConnectState {
  /** The approved commit, or the newest commit at the time of connecting. */
  readonly commit?: string;
  /** The service was already connected to this repository before the run. */
  readonly wasConnected?: boolean;
}

/**
 * Sets the connection and marks its newest commit as built, so that connecting alone deploys nothing. Returns `other` without a change if
 * the service is connected to a repository that is neither `from` nor `to`.
 */
const connect = (db: Db, service: ServiceRef, from: string | null, to: Connection): Promise<'done' | 'was so' | 'other'> =>
  transaction(db, async (trx) => {
    const row = await trx.selectFrom('service').selectAll().where('id', '=', service.id).forUpdate().executeTakeFirst();
    if (!row || (row.repository_name !== from && row.repository_name !== to.repository)) return 'other';
    await trx
      .updateTable('service')
      .set({
        repository_name: to.repository,
        built_commit: to.commit,
        settings_version: sql<number>`settings_version + case when repository_name is distinct from ${to.repository} then 1 else 0 end`,
      })
      .where('id', '=', row.id)
      .execute();
    await hint(trx, service);
    return row.repository_name === to.repository && from !== to.repository ? 'was so' : 'done';
  });

interface Engines {
  readonly db: Db;
  readonly source: SourceHost;
}
type Context = ServiceContext<ConnectInput, ConnectState>;

export const connectRepository =
  ({ db, source }: Engines) =>
  async ({ input, service, log, attempt }: Context): Promise<StepResult<ConnectState>> => {
    const { repository, connectedBefore } = input;
    await requireRow(db, service);
    const found = repository === null ? undefined : await source.repository({ owner: input.app, name: repository });
    if (repository !== null && !found) throw new StepFailure('ChooseExistingRepository', { repository: `${input.app}/${repository}` });
    const commit = input.commit ?? found?.headCommit ?? null;
    const came = await connect(db, service, connectedBefore.repository, { repository, commit });
    if (came === 'other') throw new StepFailure('SettingsChangedMeanwhile');
    log(
      found
        ? `Connected to ${found.cloneUrl}${commit === null ? '' : `, at the commit ${commit.slice(0, 7)}`}`
        : `Not connected to ${connectedBefore.repository} any more`,
    );
    // On a retry, the step itself may have made the connection.
    return { state: { wasConnected: came === 'was so' && attempt === 1, ...(commit === null ? {} : { commit }) } };
  };
/** Restores the former connection, unless someone else made the current one. */
export const restoreConnection =
  ({ db }: Engines) =>
  async ({ input, service, state }: Context): Promise<void> => {
    if (!state.wasConnected) await connect(db, service, input.repository, input.connectedBefore);
  };
