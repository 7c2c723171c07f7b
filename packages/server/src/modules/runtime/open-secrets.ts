/** Opens what a wanted revision pinned; where that cannot be done, its rollout fails and its page says why. */
import { instanceEvent } from '@slipway/contract/service/instance-event.ts';
import type { Db } from '#db/database.ts';
import { Problem } from '#kernel/problem.ts';
import type { ResolvedSecrets, RevisionToResolve } from '#modules/secret-groups/index.ts';
import { writeEvent } from './observed.sql.ts';
import type { WantedRevision } from './wanted.sql.ts';

export interface SecretsOptions {
  readonly db: Db;
  /** Throws SecretUnreadable. */
  readonly secrets: (revision: RevisionToResolve) => Promise<ResolvedSecrets>;
  /** Returns the token with which instances of a revision send traces. */
  readonly traceToken?: (revisionId: string) => Promise<string>;
}

export const openSecrets = async ({ db, secrets }: SecretsOptions, wanted: WantedRevision): Promise<ResolvedSecrets> => {
  const { app, environment, revision } = wanted.spec;
  try {
    return await secrets({ app, environment, spec: wanted.settings, versions: wanted.secretVersions });
  } catch (error) {
    if (error instanceof Problem && error.code === 'SecretUnreadable') {
      const event = instanceEvent('SecretUnreadable', {});
      await writeEvent(db, wanted.id, { instance: revision, at: new Date(), type: 'error', ...event });
    }
    throw error;
  }
};
