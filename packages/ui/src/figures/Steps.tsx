// The steps of a pipeline from top to bottom, each with its mark, duration and a bar relative to the usual duration. A step links to its
// log.
import type { ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import { DurationBar } from './DurationBar.tsx';
import { Link } from '../layout/Link.tsx';
import { StatusIcon } from '../feedback/StatusIcon.tsx';
import css from './Steps.module.css';
import type { Tone } from '../tone.ts';
import { VisuallyHidden } from '../layout/VisuallyHidden.tsx';

export type StepState = 'todo' | 'running' | 'completed' | 'failed' | 'skipped' | 'canceled';

export interface Step {
  key: string;
  title: ReactNode;
  state: StepState;
  href?: string;
  /** Written duration ("7.0 s", a DurationText, "not reached"). */
  time?: ReactNode;
  /** Share of the longest displayed duration, 0 to 1. No bar without it. */
  share?: number;
  usualShare?: number;
  isCurrent?: boolean;
}

export const STEP_TONE: Record<StepState, Tone> = {
  todo: 'off',
  running: 'run',
  completed: 'ok',
  failed: 'bad',
  skipped: 'idle',
  canceled: 'idle',
};
export const STEP_WORD: Record<StepState, string> = {
  todo: 'queued',
  running: 'running',
  completed: 'completed',
  failed: 'failed',
  skipped: 'skipped',
  canceled: 'canceled',
};

function StepContent({ step }: { step: Step }) {
  const isLate = step.state === 'running' && step.share !== undefined && step.usualShare !== undefined && step.share > step.usualShare;
  return (
    <>
      <StatusIcon tone={STEP_TONE[step.state]} />
      <span className={css.title}>
        {step.title}
        <VisuallyHidden>, {STEP_WORD[step.state]}</VisuallyHidden>
      </span>
      <span className={css.time}>{step.time}</span>
      {step.share !== undefined && (
        <span className={css.bar}>
          <DurationBar
            value={step.share}
            usual={step.usualShare}
            state={step.state === 'failed' ? 'failed' : isLate ? 'over' : undefined}
          />
        </span>
      )}
    </>
  );
}

export function Steps({ items, label }: { items: Step[]; label?: string }) {
  return (
    <ol className={css.steps} aria-label={label}>
      {items.map((step) => {
        const look = classNames(css.step, step.state === 'todo' && css.todo);
        const current = step.isCurrent ? 'step' : undefined;
        return (
          <li key={step.key}>
            {step.href === undefined ? (
              <div className={look} aria-current={current}>
                <StepContent step={step} />
              </div>
            ) : (
              <Link className={look} href={step.href} aria-current={current}>
                <StepContent step={step} />
              </Link>
            )}
          </li>
        );
      })}
    </ol>
  );
}
