/** Shows the dry run of an action in a dialog; confirming it starts the pipeline. */
import type { Call } from '@slipway/contract/kernel/kernel.ts';
import { isPlan, runOf, type Plan, type PlanOrRun } from '@slipway/contract/pipeline/plan.ts';
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Dialog } from '@slipway/ui/overlay/Dialog.tsx';
import { useLoadingState } from '@slipway/ui/feedback/Loading.tsx';
import { Skeleton } from '@slipway/ui/feedback/Skeleton.tsx';
import { useEffect, useEffectEvent, useState, type ReactNode } from 'react';
import { useWrite } from '#kit/api/write.ts';
import { DialogError } from '#kit/error/DialogError.tsx';
import { ConfirmChanges, type ConfirmChangesProps } from './ConfirmChanges.tsx';
import { dryRun, type PlannedRoute } from './dry-run.ts';

export interface PlannedActionProps<R extends PlannedRoute> extends Omit<ConfirmChangesProps, 'plan' | 'onConfirm' | 'children'> {
  route: R;
  /** Read once, when the dialog opens. */
  input: Call<R>;
  /** Final input, if it differs from the dry run's. Returns undefined to keep the dialog open while something is missing. */
  finalInput?: () => Call<R> | undefined;
  /** Called when the pipeline has started. */
  onDone: (run: PipelineRun) => void;
  /** Shown before the changes. */
  children?: (plan: Plan) => ReactNode;
}

type Answer = { plan: Plan } | { error: unknown } | undefined;

export function PlannedAction<R extends PlannedRoute>(props: PlannedActionProps<R>) {
  const { route, input, finalInput, onDone, children, ...dialog } = props;
  const { title, onClose, keepLabel = 'Close' } = dialog;
  const [answer, setAnswer] = useState<Answer>();
  const write = useWrite(route);
  const ask = useEffectEvent((signal: AbortSignal) => dryRun(route, input, signal));
  const reported = useEffectEvent((plan: PlanOrRun) => (isPlan(plan) ? setAnswer({ plan }) : onDone(plan)));
  useEffect(() => {
    const stop = new AbortController();
    ask(stop.signal).then(
      (plan) => reported(plan),
      (error: unknown) => !stop.signal.aborted && setAnswer({ error }),
    );
    return () => stop.abort();
  }, []);
  // Planning is fast: a dialog that only shows a loading state would flash.
  const loading = useLoadingState(answer === undefined);
  if (loading === 'waiting') return null;
  if (loading === 'shown' || !answer) {
    return (
      <Dialog isOpen onClose={onClose} size="lg" title={title} description="Preparing preview…">
        <Skeleton height={120} />
      </Dialog>
    );
  }
  if ('error' in answer) return <Refused title={title} error={answer.error} keepLabel={keepLabel} onClose={onClose} />;
  const confirm = async (): Promise<void> => {
    const final = finalInput ? finalInput() : input;
    if (final) onDone(runOf((await write.send(final)) as PlanOrRun));
  };
  return (
    <ConfirmChanges {...dialog} plan={answer.plan} onConfirm={confirm}>
      {children?.(answer.plan)}
    </ConfirmChanges>
  );
}

/** Shows why the server refuses the action. */
function Refused({ title, error, keepLabel, onClose }: { title: string; error: unknown; keepLabel: string; onClose: () => void }) {
  return (
    <Dialog isOpen onClose={onClose} title={title} actions={<Button onClick={onClose}>{keepLabel}</Button>}>
      <DialogError error={error} />
    </Dialog>
  );
}
