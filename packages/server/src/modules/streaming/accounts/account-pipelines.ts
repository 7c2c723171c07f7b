/** The account's own pipelines: password rotation with and without overlap, and making rules match the grants. */
import type { Transaction } from 'kysely';
import type { GrantState } from '@slipway/contract/streaming/grant.ts';
import { transaction } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { recordRunOutcome } from '#modules/activity/index.ts';
import { definePipeline, type PipelineDefinition, type StepDefinition } from '#modules/pipelines/index.ts';
import { whileCurrent, type AnyEntity } from '#modules/resources/index.ts';
import { followGrants } from '../grants/index.ts';
import { applyRules } from './access-rules.ts';
import {
  accountRow,
  currentTurn,
  namesOf,
  otherTurn,
  requireRow,
  type AccountDeps,
  type AccountNames,
  type AccountRow,
} from './account-rows.ts';
import { appliedMessage, handOverStep, rulesStep, userStep, waitStep, type PasswordWish } from './account-steps.ts';

export interface RotationInput extends AccountNames {
  /** Hours for which the former user stays valid. */
  readonly overlapHours: number;
}
/** A grant before or after a decision. */
export interface GrantSide {
  readonly state: GrantState;
  readonly isListed: boolean;
  readonly basis: 'OWN' | 'AUTOMATIC' | 'DECISION' | null;
  readonly decidedAt: string | null;
  readonly decidedBy: string | null;
  readonly decidedByName: string | null;
  readonly decision: string | null;
}
export interface GrantDecision {
  readonly id: string;
  readonly before: GrantSide;
  readonly after: GrantSide;
}
export interface RulesInput extends AccountNames {
  /** The decision to apply. Without one, the run only restores missing rules. */
  readonly decision?: GrantDecision;
}
export interface AccountPipelines {
  readonly rotation: PipelineDefinition<RotationInput, object>;
  readonly replacement: PipelineDefinition<RotationInput, object>;
  readonly rules: PipelineDefinition<RulesInput, object>;
}

/** Moves a grant from one side of a decision to the other, unless it was changed otherwise meanwhile. */
export const setGrant = async (trx: Transaction<DB>, id: string, to: GrantSide, from: GrantSide): Promise<void> => {
  await trx
    .updateTable('topic_grant')
    .set({
      state: to.state,
      is_listed: to.isListed,
      basis: to.basis,
      since: new Date(),
      decided_at: to.decidedAt,
      decided_by: to.decidedBy,
      decided_by_name: to.decidedByName,
      decision: to.decision,
    })
    .where('id', '=', id)
    .where('state', '=', from.state)
    .where('is_listed', '=', from.isListed)
    .execute();
};

const decidedStep = (deps: AccountDeps): StepDefinition<RulesInput, object> => {
  const set = async (input: RulesInput, side: 'before' | 'after'): Promise<AccountRow | undefined> => {
    const { decision } = input;
    const row = await accountRow(deps.db, namesOf(input));
    if (row && decision)
      await transaction(deps.db, async (trx) => {
        await setGrant(trx, decision.id, decision[side], decision[side === 'after' ? 'before' : 'after']);
        await followGrants(trx, deps.requests, row.id);
      });
    return row;
  };
  return {
    code: 'ApplyAccessRules',
    run: async ({ input }) => {
      await set(input, 'after');
      return { message: appliedMessage(await applyRules(deps, await requireRow(deps.db, namesOf(input)))) };
    },
    undo: async ({ input }) => {
      const row = await set(input, 'before');
      // Applies the rules again: they match the grants whether or not rules were missing before.
      if (row) await applyRules(deps, row);
    },
  };
};

/** Each run only changes the row that it was started for, not a later row with the same name. */
export const accountPipelines = (deps: AccountDeps, entity: AnyEntity): AccountPipelines => {
  const guarded = <I extends AccountNames>(type: string, steps: readonly StepDefinition<I, object>[]): PipelineDefinition<I, object> =>
    definePipeline({
      type,
      steps: steps.map(whileCurrent<I>(deps.db, entity, namesOf)),
      onFinished: (trx, run) => recordRunOutcome(trx, type, run),
    });
  const second: PasswordWish<RotationInput> = {
    namesOf,
    turnOf: (row, by) => (row.password_by === by ? currentTurn(row) : otherTurn(currentTurn(row))),
    overlapOf: ({ overlapHours }) => overlapHours,
  };
  const same: PasswordWish<RotationInput> = { namesOf, turnOf: currentTurn, overlapOf: () => 0, isReplacement: true };
  return {
    rotation: guarded('RotateAccountPassword', [
      rulesStep(deps, second),
      userStep(deps, second),
      waitStep(deps, second),
      handOverStep(deps, second),
    ]),
    replacement: guarded('ReplaceAccountPassword', [userStep(deps, same), waitStep(deps, same), handOverStep(deps, same)]),
    rules: guarded('ApplyAccountRules', [decidedStep(deps)]),
  };
};
