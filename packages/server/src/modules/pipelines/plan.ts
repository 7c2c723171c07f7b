/** What a dry run answers: the plan of a write that is not done. */
import type { Plan, PlanNote } from '@slipway/contract/pipeline/plan.ts';
import { stepNameOf } from '@slipway/contract/pipeline/steps.ts';
import type { Db } from '#db/database.ts';
import { usualMsOf } from './usual-durations.ts';

/** What is left out is empty. */
export interface PlanDraft extends Partial<Pick<Plan, 'changes' | 'consequences' | 'warnings' | 'image' | 'secretVersions'>> {
  readonly pipelineType: string;
  readonly steps: readonly string[];
}

/** A consequence or a warning of a plan, with the values for its text; `field` names the field that it is about. */
export const note = (code: string, context: PlanNote['context'] = {}, field?: string): PlanNote => ({
  code,
  context,
  ...(field ? { field } : {}),
});

/** `lock`: what its pipelines take turns for; how long they usually take is known by it. */
export const planOf = async (db: Db, lock: string, draft: PlanDraft): Promise<Plan> => {
  const usual = await usualMsOf(db, draft.pipelineType, lock);
  const steps = draft.steps.map((code) => ({ code, name: stepNameOf(code), usualMs: usual.get(code) ?? null }));
  return {
    isPlan: true,
    pipelineType: draft.pipelineType,
    changes: draft.changes ?? [],
    consequences: draft.consequences ?? [],
    warnings: draft.warnings ?? [],
    steps,
    usualMs: usual.size > 0 ? steps.reduce((sum, { usualMs }) => sum + (usualMs ?? 0), 0) : null,
    image: draft.image ?? null,
    secretVersions: draft.secretVersions ?? [],
  };
};
