/** Says where an engine differs from the saved settings, and restores them after a confirmation. */
import type { ChangeHint } from '@slipway/contract/hint.ts';
import { runOf, type PlanOrRun } from '@slipway/contract/pipeline/plan.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { refresh } from '#entities/changes/index.ts';
import { sayEnd } from '#entities/pipeline/index.ts';
import { confirmAction } from '#kit/confirm/confirm-action.ts';

export interface DriftNoticeProps {
  name: string;
  /** "registry" */
  engine: string;
  /** Describe the differences. Without any, nothing is shown. */
  sentences: readonly string[];
  /** Effects of restoring. Empty if nothing can be restored. */
  consequences: readonly string[];
  comparedAt: string | null;
  isStale: boolean;
  /** Why the user may not restore anything. */
  reason: string | undefined;
  /** Starts the pipeline that restores. */
  onRestore: () => Promise<PlanOrRun>;
  hint: ChangeHint;
}

export function DriftNotice({ name, engine, sentences, consequences, comparedAt, isStale, reason, onRestore, hint }: DriftNoticeProps) {
  if (sentences.length === 0) return null;
  const ask = (): void =>
    confirmAction({
      title: `Put ${name} back?`,
      description: `The ${engine} gets what Slipway has.`,
      consequences: [...consequences],
      confirmLabel: 'Put back',
      busyLabel: 'Starting',
      variant: 'primary',
      run: async () => {
        const run = runOf(await onRestore());
        await refresh(hint);
        void sayEnd(run, { done: `${name} and the ${engine} match`, failed: `${name} could not be made to match` });
      },
    });
  const nothing = consequences.length === 0 ? 'Nothing of it can be put back' : undefined;
  return (
    <Notice
      tone="warn"
      actions={
        <Button size="sm" disabledReason={reason ?? nothing} onClick={ask}>
          Put back
        </Button>
      }
    >
      <strong>The {engine} differs.</strong> {sentences.join(' ')}
      {comparedAt !== null && (
        <span className="quiet">
          {isStale ? ' Stale since ' : ' Compared '}
          <RelativeTime at={comparedAt} isShort />
        </span>
      )}
    </Notice>
  );
}
