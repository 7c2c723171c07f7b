/** Databases: production gets one of its own, empty, with the settings of development. Rows are never copied. */
import { databaseCreate, databaseLabels, databaseUpdate, databaseView, type Database } from '@slipway/contract/database/database.ts';
import { note } from '#modules/pipelines/index.ts';
import { Problem } from '#kernel/problem.ts';
import type { At, PromotedKind, PromotingWrite, PromotionDeps } from './promoted-kind.ts';

const databaseIn = async ({ callInside }: PromotionDeps, { app, name, caller }: At, env: string): Promise<Database | undefined> => {
  try {
    return await callInside(databaseView, { caller, params: { app, env, database: name } });
  } catch (error) {
    if (error instanceof Problem && error.code === 'DatabaseDoesNotExist') return undefined;
    throw error;
  }
};
const fields = ['displayName', 'plan', 'storageGb', 'maxConnections', 'backupRetentionDays'] as const;
const settingsOf = ({ displayName, plan, storageGb, maxConnections, backupRetentionDays }: Database) => ({
  displayName,
  plan,
  storageGb,
  maxConnections,
  backupRetentionDays,
});

export const databases: PromotedKind = {
  kind: 'database',
  table: 'database',
  compare: async (deps, at) => {
    const [here, there] = [await databaseIn(deps, at, 'development'), await databaseIn(deps, at, 'production')];
    if (!here) throw new Problem('DatabaseDoesNotExist');
    const wanted = settingsOf(here);
    const now = there && settingsOf(there);
    const differences = fields.flatMap((field) => {
      const [before, after] = [now ? String(now[field]) : null, String(wanted[field])];
      return before === after ? [] : [{ field, label: databaseLabels[field] ?? field, before, after, isChosen: !there }];
    });
    const { app, name } = at;
    return {
      isThere: there !== undefined,
      isChosen: !there,
      differences,
      notes: there && differences.length > 0 ? [note('SizesDiffer')] : [],
      seen: [wanted, now],
      write: (): PromotingWrite =>
        there
          ? {
              route: databaseUpdate,
              params: { app, env: 'production', database: name },
              // Storage cannot be decreased.
              body: { ...wanted, storageGb: Math.max(wanted.storageGb, there.storageGb) },
            }
          : {
              route: databaseCreate,
              params: { app, env: 'production' },
              body: { ...wanted, name, region: here.region, secretGroup: here.secretGroup },
            },
    };
  },
};
