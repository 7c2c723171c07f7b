/** Runs a promotion: first its prerequisites, run by run, then the object itself. Opens the object's page in production. */
import type { ChangeHint } from '@slipway/contract/hint.ts';
import { runOf, type PlanOrRun } from '@slipway/contract/pipeline/plan.ts';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { refresh } from '#entities/changes/refresh.ts';
import { pipelinePath } from '#entities/paths.ts';
import { endOf, sayEnd } from '#entities/pipeline/run-follower.ts';

export interface PromotionStep {
  /** Name of the promoted object. */
  name: string;
  start: () => Promise<PlanOrRun>;
}
export interface PromotionOptions {
  /** The last step is the page's own object. */
  steps: readonly PromotionStep[];
  /** URL of the object in production. */
  href: string;
  hints: readonly ChangeHint[];
}

export interface Promotion {
  promote: () => Promise<void>;
  /** Name of the object being promoted. */
  busy: string | undefined;
  failure: unknown;
  /** Reloads the state of production after a rejection, and clears the rejection. */
  lookAgain: () => Promise<void>;
}

/** Returns false if the run failed. Completed steps stay, so a retry continues with the missing ones. */
const isThrough = async ({ name, start }: PromotionStep): Promise<boolean> => {
  const run = runOf(await start());
  const end = await endOf(run);
  if (end?.status.state === 'COMPLETED') return true;
  toast.failure(`${name} could not be promoted`, {
    detail: 'See the pipeline for the reason.',
    href: pipelinePath(run),
    linkLabel: 'View pipeline',
  });
  return false;
};

export const usePromotion = ({ steps, href, hints }: PromotionOptions): Promotion => {
  const navigate = useNavigate();
  const [busy, setBusy] = useState<string>();
  const [failure, setFailure] = useState<unknown>();
  const run = async (): Promise<void> => {
    for (const step of steps.slice(0, -1)) {
      setBusy(step.name);
      if (!(await isThrough(step))) return;
    }
    const last = steps.at(-1);
    if (!last) return;
    setBusy(last.name);
    const started = runOf(await last.start());
    await navigate(href);
    void sayEnd(started, { done: `${last.name} is in production`, failed: `${last.name} could not be promoted` });
  };
  const askAgain = async (): Promise<void> => {
    for (const hint of hints) await refresh(hint);
  };
  const promote = async (): Promise<void> => {
    setFailure(undefined);
    try {
      await run();
    } catch (error) {
      setFailure(error);
    }
    setBusy(undefined);
    await askAgain();
  };
  const lookAgain = async (): Promise<void> => {
    await askAgain();
    setFailure(undefined);
  };
  return { promote, busy, failure, lookAgain };
};
