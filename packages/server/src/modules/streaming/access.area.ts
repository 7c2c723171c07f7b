/** The area of accounts and grants: who can sign in to the Kafka clusters, and which topics they can read and write. */
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import { resourceModule, type AreaContext, type AreaOf } from '#modules/resources/index.ts';
import { createVault } from '#modules/secret-groups/index.ts';
import { accountEntity } from './accounts/account-entity.ts';
import { accountPipelines } from './accounts/account-pipelines.ts';
import { accountPromotions } from './accounts/account-promotion.ts';
import { accountReads } from './accounts/account-reads.ts';
import type { AccountDeps } from './accounts/account-rows.ts';
import { accountTimings as defaults, accountWatcher, type AccountTimings } from './accounts/account-watcher.ts';
import { accountWrites } from './accounts/account-writes.ts';
import { createPasswordSeals } from './accounts/password-seals.ts';
import { topicAccessKind } from './grants/decisions.ts';
import { grantRoutes } from './grants/grant.routes.ts';

export interface AccountOptions {
  /** Override for tests. */
  readonly accountTimings?: Partial<AccountTimings>;
}

/** Returns the dependencies of account steps, for all pipelines that use them. */
export const accountDeps = ({ database: { db, pool }, adapters, requests, accountTimings }: AreaContext & AccountOptions): AccountDeps => {
  const { streaming, schemaRegistry, keys } = adapters;
  return {
    db,
    streaming,
    secrets: { db, vault: createVault(pool, keys) },
    seals: createPasswordSeals(pool, keys),
    requests,
    signInMs: accountTimings?.signInMs ?? defaults.signInMs,
    registryUrl: (environment: Environment) => schemaRegistry.info(environment).url,
  };
};

export const accountArea = (context: AreaContext & AccountOptions): ReturnType<AreaOf> => {
  const { engine, log, accountTimings } = context;
  const { db } = context.database;
  const deps = accountDeps(context);
  const entity = accountEntity(deps);
  const { handlers, pipelines: own } = resourceModule({ db, engine }, entity);
  const pipelines = accountPipelines(deps, entity);
  const { view: _, ...others } = handlers;
  const writes = { ...deps, engine, entity, pipelines };
  const { create, update } = handlers;
  if (!create || !update) throw new Error('Accounts are made and changed');
  return {
    routes: [
      ...Object.values(others),
      ...accountReads({ ...deps, entity }),
      ...accountWrites(writes),
      ...accountPromotions({ db, entity, writes: { create, update } }),
      ...grantRoutes(writes),
    ],
    pipelines: [...own, pipelines.rotation, pipelines.replacement, pipelines.rules],
    requestKinds: [topicAccessKind(writes)],
    tasks: [accountWatcher(deps, log, accountTimings)],
  };
};
