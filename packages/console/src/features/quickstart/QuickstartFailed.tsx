/** A quickstart that failed or was canceled: the reason, and three ways to continue. The form values are kept for going back. */
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { useState } from 'react';
import { isNameTaken } from '#entities/diagnosis/pipeline-failure.ts';
import { PipelineFailure } from '#entities/diagnosis/PipelineFailure.tsx';
import { removeQuickstartEntry } from './quickstart-entries.ts';
import { reportError } from '#kit/error/global-error.ts';
import { failedStepOf, isUndoing } from '#entities/pipeline/pipeline-progress.ts';
import { RerunButton } from '#entities/pipeline/RerunButton.tsx';

export interface QuickstartFailedProps {
  run: PipelineRun;
  /** The app or service whose name stays reserved until it is discarded. */
  name: string;
  /** Releases the reserved name. */
  discard: () => Promise<void>;
  /** Why the user may not discard it. */
  discardReason: string | undefined;
  onBack: () => void;
}

export function QuickstartFailed({ run, name, discard, discardReason, onBack }: QuickstartFailedProps) {
  const [isBusy, setBusy] = useState(false);
  const throwAway = async (): Promise<void> => {
    setBusy(true);
    try {
      await discard();
      removeQuickstartEntry(run.pipelineId);
      onBack();
    } catch (error) {
      reportError(error);
    } finally {
      setBusy(false);
    }
  };
  const reason = isUndoing(run) ? 'Changes are still being rolled back' : discardReason;
  const actions = (
    <>
      <Button isBusy={isBusy} busyLabel="Discarding" disabledReason={reason} onClick={() => void throwAway()}>
        Discard {name}
      </Button>
      {!isNameTaken(run) && (
        <Button variant="quiet" onClick={onBack}>
          Back to the form
        </Button>
      )}
    </>
  );
  const otherName = (
    <Button variant="primary" onClick={onBack}>
      Choose another name
    </Button>
  );
  if (failedStepOf(run)) {
    return (
      <PipelineFailure run={run} {...(isNameTaken(run) ? { main: otherName } : {})}>
        {actions}
      </PipelineFailure>
    );
  }
  return <Stopped run={run}>{actions}</Stopped>;
}

function Stopped({ run, children }: { run: PipelineRun; children: React.ReactNode }) {
  return (
    <Notice
      actions={
        <>
          <RerunButton run={run} team={run.subject.team ?? ''} variant="primary" />
          {children}
        </>
      }
      isLive
    >
      {isUndoing(run)
        ? 'Stopped. Changes are being rolled back.'
        : 'Stopped and rolled back. The name stays reserved until you discard it.'}
    </Notice>
  );
}
