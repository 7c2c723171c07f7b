/**
 * What a person must know about anything that a pipeline makes or deletes: it is being made, it was not made, it goes away, or it could
 * not be deleted. With Re-run, Discard and the way to the pipeline.
 */
import type { Can } from '@slipway/contract/kernel/fields.ts';
import { subjectKey } from '@slipway/contract/kernel/kinds.ts';
import type { Subject } from '@slipway/contract/kernel/subject.ts';
import { isActive, pipelineList, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { lazy, Suspense } from 'react';
import { pipelinePath } from '#entities/paths.ts';
import { failedStepOf, progressText, RerunButton, usePipelineRun } from '#entities/pipeline/index.ts';
import { useQuery } from '#kit/api/query.ts';
import { reasonOf } from '#kit/error/messages.ts';

/** Hardly any page needs it. */
const PipelineFailure = lazy(async () => ({ default: (await import('#entities/diagnosis/index.ts')).PipelineFailure }));

type State = 'ACTIVE' | 'CREATING' | 'NOT_CREATED' | 'DELETING';

export interface LifecycleNoticeProps {
  /** As it stands in sentences: "team". */
  noun: string;
  subject: Pick<Subject, 'kind' | 'names'>;
  state: State;
  /** The pipeline that makes or deletes it, where it is known by its id; else the newest about it. */
  pipelineId?: string | null;
  can: Can;
  /** The team that owns it, for reasons. */
  team: string;
  /** Of what is there, a change that failed is said too: cause, Re-run and the way to the pipeline. */
  showsFailedChange?: boolean;
  /** Asks whether to give up what was never created. */
  onDiscard: () => void;
}

const runningPollMs = 1000;
const restingPollMs = 10_000;

const useLifecycleRun = ({ subject, state, pipelineId }: LifecycleNoticeProps): PipelineRun | undefined => {
  const isKnown = pipelineId !== undefined;
  const key = subjectKey(subject);
  const byId = usePipelineRun(isKnown && state !== 'ACTIVE' ? pipelineId : null);
  const newest = useQuery(pipelineList, !isKnown && { query: { subject: key, size: 1 } }, {
    pollMs: state === 'ACTIVE' ? restingPollMs : runningPollMs,
  });
  const [latest] = newest.data?.content ?? [];
  // A part of it may have pipelines of its own.
  return isKnown ? byId.data : latest?.subject.key === key ? latest : undefined;
};

/** A deletion that failed may leave it as it was, or half gone. */
const hasFailedDeletion = (state: State, run: PipelineRun | undefined): run is PipelineRun =>
  (state === 'DELETING' || state === 'ACTIVE') &&
  run !== undefined &&
  run.pipelineType.startsWith('Delete') &&
  run.status.state === 'FAILED';

const hasFailedChange = (run: PipelineRun | undefined): run is PipelineRun =>
  run?.status.state === 'FAILED' && !run.pipelineType.startsWith('Create');

export function LifecycleNotice(props: LifecycleNoticeProps) {
  const { noun, state, team } = props;
  const run = useLifecycleRun(props);
  if (hasFailedDeletion(state, run)) return <Failed run={run} team={team} />;
  if (state === 'NOT_CREATED') return <NotCreated {...props} run={run} />;
  if (state === 'ACTIVE') return props.showsFailedChange && hasFailedChange(run) ? <Failed run={run} team={team} /> : null;
  if (state === 'CREATING') {
    return (
      <Notice tone="run" actions={run && <ViewPipeline run={run} size="sm" />}>
        This {noun} is being created{run ? `: ${progressText(run)}.` : '.'}
      </Notice>
    );
  }
  return (
    <Notice tone="run" isLive>
      This {noun} is being deleted. The page goes away with it.
    </Notice>
  );
}

const ViewPipeline = ({ run, size = 'md' }: { run: PipelineRun; size?: 'sm' | 'md' }) => (
  <LinkButton size={size} variant={size === 'sm' ? 'default' : 'quiet'} href={pipelinePath(run)}>
    View pipeline
  </LinkButton>
);

function Failed({ run, team, children }: { run: PipelineRun; team: string; children?: React.ReactNode }) {
  return (
    <Suspense fallback={null}>
      <PipelineFailure run={run} team={team}>
        {children}
        <ViewPipeline run={run} />
      </PipelineFailure>
    </Suspense>
  );
}

function NotCreated({ noun, can, team, onDiscard, run }: LifecycleNoticeProps & { run: PipelineRun | undefined }) {
  const discard = (
    <Button disabledReason={reasonOf(can, 'delete', { team })} onClick={onDiscard}>
      Discard
    </Button>
  );
  if (run && failedStepOf(run)) {
    return (
      <Failed run={run} team={team}>
        {discard}
      </Failed>
    );
  }
  const isOver = run !== undefined && !isActive(run.status.state);
  return (
    <Notice
      tone="warn"
      actions={
        <>
          {run && <RerunButton run={run} team={team} variant="primary" />}
          {discard}
          {run && <ViewPipeline run={run} />}
        </>
      }
    >
      This {noun} was not created{isOver ? ': its pipeline was cancelled, and what it had made was removed again.' : '.'}
    </Notice>
  );
}
