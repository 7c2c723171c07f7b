/** Secret groups by key. Values are typed for production, and never copied. */
import { secretGroupCreate, secretGroupView, secretVersionCreate, type SecretGroup } from '@slipway/contract/secret/secret-group.ts';
import { Problem } from '#kernel/problem.ts';
import type { At, PromotedKind, PromotingWrite, PromotionDeps } from './promoted-kind.ts';

const groupIn = async ({ callInside }: PromotionDeps, { app, name, caller }: At, env: string): Promise<SecretGroup | undefined> => {
  try {
    return await callInside(secretGroupView, { caller, params: { app, env, group: name } });
  } catch (error) {
    if (error instanceof Problem && error.code === 'SecretGroupDoesNotExist') return undefined;
    throw error;
  }
};

export const secretGroups: PromotedKind = {
  kind: 'secretGroup',
  table: 'secret_group',
  compare: async (deps, at) => {
    const [here, there] = [await groupIn(deps, at, 'development'), await groupIn(deps, at, 'production')];
    const known = new Set(there?.keys.map(({ key }) => key));
    const missingKeys = (here?.keys ?? []).map(({ key }) => key).filter((key) => !known.has(key));
    const { app, name } = at;
    return {
      isThere: there !== undefined,
      isChosen: missingKeys.length > 0,
      differences: missingKeys.map((key) => ({ field: key, label: key, before: null, after: 'set', isChosen: true })),
      missingKeys,
      seen: [here?.keys.map(({ key }) => key), there?.version],
      write: ({ entries = [] }): PromotingWrite =>
        there
          ? {
              route: secretVersionCreate,
              params: { app, env: 'production', group: name },
              body: { basedOn: there.version, entries },
            }
          : {
              route: secretGroupCreate,
              params: { app, env: 'production' },
              body: { name, entries, autoAttach: here?.autoAttach ?? false },
            },
    };
  },
};
