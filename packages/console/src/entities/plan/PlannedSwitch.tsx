/** Turns something on or off after showing the consequences in a dialog. */
import type { Call } from '@slipway/contract/kernel/kernel.ts';
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import type { ChangeHint } from '@slipway/contract/hint.ts';
import { refresh } from '#entities/changes/index.ts';
import { toastRun } from '#entities/pipeline/index.ts';
import type { PlannedRoute } from './dry-run.ts';
import { PlannedAction } from './PlannedAction.tsx';

/** The words of one direction. */
export interface SwitchWords {
  title: string;
  /** Says what happens, and how to undo it. */
  description: string;
  confirmLabel: string;
  busyLabel: string;
  keepLabel: string;
  /** Confirms the write: "berthplans is being activated". */
  done: string;
}

export interface PlannedSwitchProps<R extends PlannedRoute> {
  /** The wanted state. */
  active: boolean;
  on: SwitchWords;
  off: SwitchWords;
  route: R;
  input: Call<R>;
  name: string;
  environment: Environment;
  /** The answers to reload. */
  hints?: readonly ChangeHint[];
  onClose: () => void;
}

export function PlannedSwitch<R extends PlannedRoute>(props: PlannedSwitchProps<R>) {
  const { active, on, off, route, input, name, environment, hints = [], onClose } = props;
  const { description, done, ...words } = active ? on : off;
  return (
    <PlannedAction
      {...words}
      variant={active ? 'primary' : 'danger'}
      route={route}
      input={input}
      subject={name}
      environment={environment}
      onClose={onClose}
      onDone={async (run) => {
        toastRun(done, run);
        onClose();
        for (const hint of hints) await refresh(hint);
      }}
    >
      {() => <p>{description}</p>}
    </PlannedAction>
  );
}
