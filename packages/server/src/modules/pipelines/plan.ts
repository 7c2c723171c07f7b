/** Builds the response of a dry run: the plan of a write that is not executed. */
import type { Plan, PlanNote } from '@slipway/contract/pipeline/plan.ts';
import { stepNameOf } from '@slipway/contract/pipeline/steps.ts';
import type { Db } from '#db/database.ts';
import { usualMsOf } from './usual-durations.ts';

/** Input of a plan. Omitted fields become empty. */
export interface PlanDraft extends Partial<
  Pick<Plan, 'changes' | 'consequences' | 'warnings' | 'image' | 'secretVersions' | 'approval' | 'freeze'>
> {
  readonly pipelineType: string;
  readonly steps: readonly string[];
}

/** Returns a consequence for each setting that changes. */
export const changeNotes = (labels: Readonly<Record<string, string>>, before: object, after: object): PlanNote[] => {
  const wanted = new Map<string, unknown>(Object.entries(after));
  return Object.entries(before).flatMap(([field, was]) => {
    const becomes = wanted.get(field);
    const context = { label: labels[field] ?? field, before: String(was), after: String(becomes) };
    return was === becomes ? [] : [note('ChangesSetting', context)];
  });
};

/** Returns a consequence or a warning of a plan, with the values for its text. `field` names the field that the note is about. */
export const note = (code: string, context: PlanNote['context'] = {}, field?: string): PlanNote => ({
  code,
  context,
  ...(field ? { field } : {}),
});

/**
 * Completes a plan with the usual durations. `lock` is the key under which its pipelines run one at a time, and under which their durations
 * are known.
 */
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
    ...(draft.approval ? { approval: draft.approval } : {}),
    ...(draft.freeze ? { freeze: draft.freeze } : {}),
  };
};
