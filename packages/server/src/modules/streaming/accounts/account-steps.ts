/** Steps that create, change and delete an account on its cluster, each with its undo. Rules change before users, in both directions. */
import type { AccountSide } from '@slipway/contract/streaming/account.ts';
import { transaction } from '#db/database.ts';
import type { StepResult } from '#modules/pipelines/index.ts';
import { changeStep, turnFor, turns, type EntityInput, type RowContext, type RowStep, type Turn } from '#modules/resources/index.ts';
import { dropGroupsStep } from '#modules/secret-groups/index.ts';
import { isPortFailure } from '#ports/failure.ts';
import { followGrants } from '../grants/index.ts';
import { applyRules, removeRules, type Applied } from './access-rules.ts';
import { setSide } from './account-change.ts';
import { accountCredential, groupKeyOf, userName, type AccountDeps, type AccountRow } from './account-rows.ts';
import { handOver, makeUser, takeBack, trySignIn, unmakeUser } from './passwords.ts';

type Step<I = EntityInput> = RowStep<AccountRow, I>;

export const appliedMessage = ({ made, removed, count }: Applied) => ({
  code: 'AccessRulesApplied',
  context: { made: String(made), removed: String(removed), count: String(count) },
});

/** Applies the rules of the user that is about to be created, including a new account's first user. */
export const rulesStep = <I>(deps: AccountDeps): Step<I> => ({
  code: 'ApplyAccessRules',
  run: async ({ row, pipelineId, log }) => {
    const turn = turnFor(accountCredential(row), pipelineId);
    const applied = await applyRules(deps, row, turn);
    log(`${userName(row, turn)} has ${applied.count} rules`);
    return { message: appliedMessage(applied) };
  },
  undo: ({ row, pipelineId }) => removeRules(deps, row, [turnFor(accountCredential(row), pipelineId)]),
});

/** `overlapOf`: hours for which the former user stays valid. Undefined for a replacement, which gives the same user another password. */
export const userStep = <I>(deps: AccountDeps, overlapOf?: (input: I) => number): Step<I> => ({
  code: 'CreateClusterUser',
  isPointOfNoReturn: !overlapOf,
  run: async ({ row, input, pipelineId, createdBy, log }) => {
    const wish = { by: pipelineId, overlapHours: overlapOf?.(input) ?? 0, isReplacement: !overlapOf };
    const user = await makeUser(deps, row, { ...wish, createdBy });
    log(`User ${user}`);
    return { message: { code: 'ClusterUserMade', context: { user } } };
  },
  ...(overlapOf && { undo: ({ row, pipelineId }: RowContext<AccountRow, I>) => unmakeUser(deps, row, pipelineId) }),
});

/** The specification defines the step's name. The message context contains the account's id, which also works in the account's path. */
export const waitStep = <I>(deps: AccountDeps): Step<I> => ({
  code: 'WaitForCredentialsCreation',
  run: async ({ row, signal }) => {
    const user = await trySignIn(deps, row, signal);
    return { message: { code: 'CredentialsWork', context: { accountId: row.id, account: row.name, user } } };
  },
  // The step only reads.
  undo: async () => {},
});

export const handOverStep = <I>(deps: AccountDeps): Step<I> => ({
  code: 'HandOverPassword',
  run: async ({ row, pipelineId, createdBy, log }): Promise<StepResult<object>> => {
    const { version, until } = await handOver(deps, row, pipelineId, createdBy);
    if (version === undefined)
      return { message: { code: 'PasswordWaits', context: { name: createdBy.displayName, time: until.toISOString() } } };
    log(`Version ${version} of the secret group ${row.secret_group}`);
    return { message: { code: 'CredentialsMade', context: { group: row.secret_group ?? '' } } };
  },
  undo: ({ row, pipelineId }) => takeBack(deps, row, pipelineId),
});

/** Steps that give another user the newest password, also the first. */
export const passwordSteps = <I>(deps: AccountDeps, overlapOf: (input: I) => number): Step<I>[] => [
  rulesStep(deps),
  userStep(deps, overlapOf),
  waitStep(deps),
  handOverStep(deps),
];

/** Sets the grants again, so that a rerun after an undo repeats the change. */
export const grantsStep = (deps: AccountDeps): Step =>
  changeStep<AccountSide, AccountRow>('ApplyAccessRules', async ({ row }, { from, to }) => {
    await transaction(deps.db, async (trx) => {
      await setSide(trx, row, to, from);
      await followGrants(trx, deps.requests, row.id);
    });
    return { message: appliedMessage(await applyRules(deps, row)) };
  });

/** Returns the users that belong to this account. A user with the other name belongs to someone else. */
const ownTurns = (row: AccountRow): readonly Turn[] => {
  if (row.turn === null) return row.waiting_by === null ? [] : [1];
  return turns.filter((turn) => turn === row.turn || row.former_ends_at !== null || row.waiting_by !== null);
};

/** First deletion steps: removing rules affects open connections, too. The undo restores the rules. */
export const removeSteps = (deps: AccountDeps): Step[] => [
  {
    code: 'RemoveAccessRules',
    run: ({ row }) => removeRules(deps, row),
    undo: async ({ row }) => {
      if (row.turn !== null) await applyRules(deps, row);
    },
  },
  dropGroupsStep(deps.db, 'DeleteSecretGroup', (row: AccountRow) => (row.secret_group === null ? [] : [groupKeyOf(row)])),
  {
    code: 'RemoveClusterUsers',
    run: async ({ row, log }) => {
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
