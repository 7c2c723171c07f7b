/** The account's own pipelines: password rotation with and without overlap, and making rules match the grants. */
import type { Transaction } from 'kysely';
import type { GrantState } from '@slipway/contract/streaming/grant.ts';
import { transaction } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import type { PipelineDefinition } from '#modules/pipelines/index.ts';
import { actionPipeline, type AnyEntity, type RowStep } from '#modules/resources/index.ts';
import { followGrants } from '../grants/index.ts';
import { applyRules } from './access-rules.ts';
import type { AccountDeps, AccountNames, AccountRow } from './account-rows.ts';
import { appliedMessage, handOverStep, passwordSteps, userStep, waitStep } from './account-steps.ts';

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

const decidedStep = (deps: AccountDeps): RowStep<AccountRow, RulesInput> => {
  const set = async (row: AccountRow, { decision }: RulesInput, side: 'before' | 'after'): Promise<void> => {
    if (!decision) return;
    await transaction(deps.db, async (trx) => {
      await setGrant(trx, decision.id, decision[side], decision[side === 'after' ? 'before' : 'after']);
      await followGrants(trx, deps.requests, row.id);
    });
  };
  return {
    code: 'ApplyAccessRules',
    run: async ({ row, input }) => {
      await set(row, input, 'after');
      return { message: appliedMessage(await applyRules(deps, row)) };
    },
    undo: async ({ row, input }) => {
      await set(row, input, 'before');
      // Applies the rules again: they match the grants whether or not rules were missing before.
      await applyRules(deps, row);
    },
  };
};

export const accountPipelines = (deps: AccountDeps, entity: AnyEntity): AccountPipelines => {
  const { db } = deps;
  const turning = passwordSteps<RotationInput>(deps, ({ overlapHours }) => overlapHours);
  return {
    rotation: actionPipeline(db, entity, 'RotateAccountPassword', turning),
    replacement: actionPipeline<RotationInput, AccountRow>(db, entity, 'ReplaceAccountPassword', [
      userStep(deps),
      waitStep(deps),
      handOverStep(deps),
    ]),
    rules: actionPipeline(db, entity, 'ApplyAccountRules', [decidedStep(deps)]),
  };
};
