/** Steps that create, change and delete an account on its cluster, each with its undo. Rules change before users, in both directions. */
import { transaction } from '#db/database.ts';
import { Problem } from '#kernel/problem.ts';
import { StepFailure, type StepContext, type StepDefinition, type StepResult } from '#modules/pipelines/index.ts';
import type { EntityInput, Names } from '#modules/resources/index.ts';
import { dropPlatformGroup } from '#modules/secret-groups/index.ts';
import { isPortFailure } from '#ports/failure.ts';
import { followGrants } from '../grants/index.ts';
import { applyRules, removeRules, type Applied } from './access-rules.ts';
import { setSide } from './account-change.ts';
import {
  accountRow,
  currentTurn,
  groupKeyOf,
  requireRow,
  turns,
  userName,
  type AccountDeps,
  type AccountRow,
  type Turn,
} from './account-rows.ts';
import { handOver, makeUser, takeBack, trySignIn, unmakeUser } from './passwords.ts';

type Step<I = EntityInput> = StepDefinition<I, object>;

export const appliedMessage = ({ made, removed, count }: Applied) => ({
  code: 'AccessRulesApplied',
  context: { made: String(made), removed: String(removed), count: String(count) },
});

/** Parameters of the password steps: how they read their pipeline's input, and which user gets the password. */
export interface PasswordWish<I> {
  readonly namesOf: (input: I) => Names;
  readonly turnOf: (row: AccountRow, by: string) => Turn;
  readonly overlapOf: (input: I) => number;
  /** The same user gets another password, which invalidates the former one. */
  readonly isReplacement?: boolean;
}

/** Applies the rules of the user that is about to be created, including a new account's first user. */
export const rulesStep = <I>(deps: AccountDeps, { namesOf, turnOf }: PasswordWish<I>): Step<I> => ({
  code: 'ApplyAccessRules',
  run: async ({ input, pipelineId, log }): Promise<StepResult<object>> => {
    const row = await requireRow(deps.db, namesOf(input));
    const turn = turnOf(row, pipelineId);
    const applied = await applyRules(deps, row, turn);
    log(`${userName(row, turn)} has ${applied.count} rules`);
    return { message: appliedMessage(applied) };
  },
  undo: async ({ input, pipelineId }) => {
    const row = await accountRow(deps.db, namesOf(input));
    if (row) await removeRules(deps, row, [turnOf(row, pipelineId)]);
  },
});

export const userStep = <I>(deps: AccountDeps, { namesOf, turnOf, overlapOf, isReplacement = false }: PasswordWish<I>): Step<I> => {
  const wanted = ({ input, pipelineId, createdBy }: StepContext<I, object>, row: AccountRow) => ({
    by: pipelineId,
    turn: turnOf(row, pipelineId),
    overlapHours: overlapOf(input),
    createdBy,
  });
  return {
    code: 'CreateClusterUser',
    isPointOfNoReturn: isReplacement,
    run: async (context) => {
      const row = await requireRow(deps.db, namesOf(context.input));
      const user = await makeUser(deps, row, wanted(context, row));
      context.log(`User ${user}`);
      return { message: { code: 'ClusterUserMade', context: { user } } };
    },
    ...(isReplacement
      ? {}
      : {
          undo: async (context: StepContext<I, object>) => {
            const row = await accountRow(deps.db, namesOf(context.input));
            if (row) await unmakeUser(deps, row, wanted(context, row));
          },
        }),
  };
};

/** The specification defines the step's name. The message context contains the account's id, which also works in the account's path. */
export const waitStep = <I>(deps: AccountDeps, { namesOf }: Pick<PasswordWish<I>, 'namesOf'>): Step<I> => ({
  code: 'WaitForCredentialsCreation',
  run: async ({ input, signal }) => {
    const row = await requireRow(deps.db, namesOf(input));
    const user = await trySignIn(deps, row, signal);
    return { message: { code: 'CredentialsWork', context: { accountId: row.id, account: row.name, user } } };
  },
  // The step only reads.
  undo: async () => {},
});

export const handOverStep = <I>(deps: AccountDeps, { namesOf }: Pick<PasswordWish<I>, 'namesOf'>): Step<I> => ({
  code: 'HandOverPassword',
  run: async ({ input, pipelineId, createdBy, log }): Promise<StepResult<object>> => {
    const row = await requireRow(deps.db, namesOf(input));
    const { version, until } = await handOver(deps, row, pipelineId, createdBy);
    if (version === undefined)
      return { message: { code: 'PasswordWaits', context: { name: createdBy.displayName, time: until.toISOString() } } };
    log(`Version ${version} of the secret group ${row.secret_group}`);
    return { message: { code: 'CredentialsMade', context: { group: row.secret_group ?? '' } } };
  },
  undo: async ({ input, pipelineId }) => {
    const row = await accountRow(deps.db, namesOf(input));
    if (row) await takeBack(deps, row, pipelineId);
  },
});

export const createSteps = (deps: AccountDeps): Step[] => {
  const wish: PasswordWish<EntityInput> = { namesOf: (names) => names, turnOf: () => 1, overlapOf: () => 0 };
  return [rulesStep(deps, wish), userStep(deps, wish), waitStep(deps, wish), handOverStep(deps, wish)];
};

/** Sets the rows again, so that a rerun after an undo repeats the change. */
export const changeStep = (deps: AccountDeps): Step => {
  const set = async (names: Names, side: 'before' | 'after'): Promise<Applied | undefined> => {
    const row = await accountRow(deps.db, names);
    if (!row) return undefined;
    const { change } = row;
    if (change)
      await transaction(deps.db, async (trx) => {
        await setSide(trx, row, change[side], change[side === 'after' ? 'before' : 'after']);
        await followGrants(trx, deps.requests, row.id);
      });
    return applyRules(deps, row);
  };
  return {
    code: 'ApplyAccessRules',
    run: async ({ input }) => {
      const applied = await set(input, 'after');
      if (!applied) throw new StepFailure('Discarded');
      return { message: appliedMessage(applied) };
    },
    undo: async ({ input }) => {
      await set(input, 'before');
    },
  };
};

/** Returns the users that belong to this account. A user with the other name belongs to someone else. */
const ownTurns = (row: AccountRow): readonly Turn[] => {
  if (row.turn === null) return row.waiting_by === null ? [] : [1];
  return turns.filter((turn) => turn === currentTurn(row) || row.former_ends_at !== null || row.waiting_by !== null);
};

/** First deletion steps: removing rules affects open connections, too. The undo restores the rules. */
export const removeSteps = (deps: AccountDeps): Step[] => [
  {
    code: 'RemoveAccessRules',
    run: async ({ input }) => removeRules(deps, await requireRow(deps.db, input)),
    undo: async ({ input }) => {
      const row = await accountRow(deps.db, input);
      if (row && row.turn !== null) await applyRules(deps, row);
    },
  },
  {
    code: 'DeleteSecretGroup',
    isPointOfNoReturn: true,
    run: ({ input }) =>
      transaction(deps.db, async (trx): Promise<StepResult<object>> => {
        const row = await requireRow(trx, input);
        if (row.secret_group === null) return { skipped: true };
        try {
          await dropPlatformGroup(trx, groupKeyOf(row));
          return {};
        } catch (error) {
          if (error instanceof Problem) throw new StepFailure(error.code, {}, { cause: error });
          throw error;
        }
      }),
    // The step is a single transaction, so there is nothing to undo.
    undo: async () => {},
  },
  {
    code: 'RemoveClusterUsers',
    run: async ({ input, log }) => {
      const row = await requireRow(deps.db, input);
      for (const turn of ownTurns(row)) {
        await deps.streaming.closeUser(row.environment, userName(row, turn));
        log(`${userName(row, turn)} is gone`);
      }
      for (const group of await removeGroups(deps, row)) log(`${group} still has clients, and stays until they are gone`);
    },
  },
];

/**
 * Deletes the account's consumer groups, otherwise a new account with this name would continue at their offsets. Returns the groups that
 * have members and cannot be deleted.
 */
const removeGroups = async ({ streaming }: AccountDeps, { environment, group_prefix: prefix }: AccountRow): Promise<string[]> => {
  const left: string[] = [];
  for (const { group } of await streaming.listGroups(environment, prefix)) {
    try {
      await streaming.deleteGroup(environment, group);
    } catch (error) {
      if (!isPortFailure(error, 'conflict')) throw error;
      left.push(group);
    }
  }
  return left;
};
