/** What making, changing and deleting an account does on its cluster, each with its way back: rules before users, there and back. */
import { transaction } from '#db/database.ts';
import { Problem } from '#kernel/problem.ts';
import { StepFailure, type StepContext, type StepDefinition, type StepResult } from '#modules/pipelines/index.ts';
import type { EntityInput, Names } from '#modules/resources/index.ts';
import { dropPlatformGroup } from '#modules/secret-groups/index.ts';
import { isPortFailure } from '#ports/failure.ts';
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

/** What the steps of a new password have to know: of its pipeline's input, and the user whose turn it is. */
export interface PasswordWish<I> {
  readonly namesOf: (input: I) => Names;
  readonly turnOf: (row: AccountRow, by: string) => Turn;
  readonly overlapOf: (input: I) => number;
  /** The user gets another password: the one before is gone. */
  readonly isReplacement?: boolean;
}

/** Rules of the user that is about to be made; of a new account, of its first. */
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

/** Named as the specification has it: its context carries the account's id, by which the account is addressed, too. */
export const waitStep = <I>(deps: AccountDeps, { namesOf }: Pick<PasswordWish<I>, 'namesOf'>): Step<I> => ({
  code: 'WaitForCredentialsCreation',
  run: async ({ input, signal }) => {
    const row = await requireRow(deps.db, namesOf(input));
    const user = await trySignIn(deps, row, signal);
    return { message: { code: 'CredentialsWork', context: { accountId: row.id, account: row.name, user } } };
  },
  // It only looks.
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

/** The rows are set again, so that a re-run of what was taken back does it once more. */
export const changeStep = (deps: AccountDeps): Step => {
  const set = async (names: Names, side: 'before' | 'after'): Promise<Applied | undefined> => {
    const row = await accountRow(deps.db, names);
    if (!row) return undefined;
    const { change } = row;
    if (change) await transaction(deps.db, (trx) => setSide(trx, row, change[side], change[side === 'after' ? 'before' : 'after']));
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

/** A user of the name that this account never had is somebody else's. */
const ownTurns = (row: AccountRow): readonly Turn[] => {
  if (row.turn === null) return row.waiting_by === null ? [] : [1];
  return turns.filter((turn) => turn === currentTurn(row) || row.former_ends_at !== null || row.waiting_by !== null);
};

/** First of a deletion: rules hold for connections that are open, too. They come back when the rest cannot be done. */
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
    // It was one transaction: nothing of it is done when it fails.
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

/** A new account of the name would go on at the offsets of this one. Returns the groups that cannot be deleted, since they have members. */
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
