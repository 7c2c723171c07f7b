/** Deletes a topic, a schema or an account: asks for confirmation, and reports success when the pipeline completes (specification §8). */
import type { ChangeHint } from '@slipway/contract/hint.ts';
import type { Call, RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { runOf, type PlanOrRun } from '@slipway/contract/pipeline/plan.ts';
import { useNavigate } from 'react-router';
import { refresh } from '#entities/changes/refresh.ts';
import { useWrite } from '#kit/api/write.ts';
import type { ConfirmedAction } from '#kit/confirm/confirm-action.ts';
import { sayEnd } from '#entities/pipeline/run-follower.ts';

export interface RemovalOptions<R extends RouteShape> extends Pick<ConfirmedAction, 'description' | 'consequences' | 'confirmWord'> {
  route: R;
  input: Call<R>;
  /** "Topic". */
  label: string;
  name: string;
  /** The list to return to. */
  home: string;
  hint: ChangeHint;
}

export const useStreamingRemoval = <R extends RouteShape>(options: RemovalOptions<R>): Record<'remove' | 'discard', ConfirmedAction> => {
  const { route, input, label, name, home, hint, ...words } = options;
  const write = useWrite(route);
  const navigate = useNavigate();
  const run = (verb: 'deleted' | 'discarded') => async (): Promise<void> => {
    const started = runOf((await write.send(input)) as PlanOrRun);
    await navigate(home);
    await refresh(hint);
    void sayEnd(started, { done: `${label} ${verb} successfully`, failed: `${label} ${name} could not be ${verb}` });
  };
  return {
    remove: { ...words, title: `Delete ${name}?`, confirmLabel: 'Delete', busyLabel: 'Deleting', run: run('deleted') },
    discard: {
      title: `Discard ${name}?`,
      description: "It was never created, so nothing is lost but the form's values. The name becomes free again.",
      confirmLabel: `Discard ${name}`,
      busyLabel: 'Discarding',
      run: run('discarded'),
    },
  };
};
