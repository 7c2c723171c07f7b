/** Connecting a service to a repository: from then on a push to its default branch is deployed, in development. */
import { sql } from 'kysely';
import { transaction, type Db } from '#db/database.ts';
import { StepFailure, type StepDefinition } from '#modules/pipelines/index.ts';
import type { SourceHost } from '#ports/source.ts';
import { hint } from './rollout.sql.ts';
import type { ServiceKey } from './services.sql.ts';

export interface Connection {
  /** Null: none. */
  readonly repository: string | null;
  /** The last commit that counts as built. */
  readonly commit: string | null;
}
export interface ConnectInput extends ServiceKey {
  readonly repository: string | null;
  /** What the step found, and its undo brings back. */
  readonly connectedBefore: Connection;
}
export interface ConnectState {
  /** The newest commit when it was connected. */
  readonly commit?: string;
}

/** A commit that counts as built is not built by the next sweep: connecting alone deploys nothing. */
const connect = (db: Db, key: ServiceKey, to: Connection): Promise<void> =>
  transaction(db, async (trx) => {
    await trx
      .updateTable('service')
      .set({
        repository_name: to.repository,
        built_commit: to.commit,
        settings_version: sql<number>`settings_version + case when repository_name is distinct from ${to.repository} then 1 else 0 end`,
      })
      .where('app_id', '=', key.app)
      .where('environment', '=', key.environment)
      .where('name', '=', key.service)
      .execute();
    await hint(trx, key);
  });

export const connectStep = <I extends ConnectInput, S extends ConnectState>(engines: {
  readonly db: Db;
  readonly source: SourceHost;
}): StepDefinition<I, S> => ({
  code: 'ConnectRepository',
  run: async ({ input, log }) => {
    const { repository, connectedBefore } = input;
    if (repository === null && connectedBefore.repository === null) return { skipped: true };
    if (repository === null) {
      await connect(engines.db, input, { repository, commit: null });
      log(`Not connected to ${connectedBefore.repository} any more`);
      return {};
    }
    const ref = { owner: input.app, name: repository };
    const found = await engines.source.repository(ref);
    if (!found) throw new StepFailure('ChooseExistingRepository', { repository: `${ref.owner}/${ref.name}` });
    await connect(engines.db, input, { repository, commit: found.headCommit ?? null });
    log(`Connected to ${found.cloneUrl}${found.headCommit ? `, whose newest commit is ${found.headCommit.slice(0, 7)}` : ''}`);
    return found.headCommit ? { state: { commit: found.headCommit } as Partial<S> } : {};
  },
  undo: ({ input }) => connect(engines.db, input, input.connectedBefore),
});
