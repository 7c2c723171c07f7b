/**
 * Notice about a resource that a pipeline creates or deletes: it is being created, was not created, is being deleted, or could not be
 * deleted. Offers Re-run, Discard and a link to the pipeline.
 */
import type { Can } from '@slipway/contract/kernel/fields.ts';
import { subjectKey } from '@slipway/contract/kinds.ts';
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

/** Loaded on demand, because few pages need it. */
const PipelineFailure = lazy(async () => ({ default: (await import('#entities/diagnosis/index.ts')).PipelineFailure }));

type State = 'ACTIVE' | 'CREATING' | 'NOT_CREATED' | 'DELETING';

export interface LifecycleNoticeProps {
  /** The noun as used in sentences: "team". */
  noun: string;
  subject: Pick<Subject, 'kind' | 'names'>;
  state: State;
  /** The pipeline that creates or deletes the resource. If undefined, the newest pipeline about the resource is used. */
  pipelineId?: string | null;
  can: Can;
  /** Name of the owning team, for the reasons of disabled controls. */
  team: string;
  /** True to also show failed changes of an existing resource, with cause, Re-run and a link to the pipeline. */
  showsFailedChange?: boolean;
  /** Asks for confirmation to discard a resource that was never created. */
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
  // Skips pipelines of the resource's parts.
  return isKnown ? byId.data : latest?.subject.key === key ? latest : undefined;
};

/** Returns true if a deletion failed; the resource may be unchanged or partly deleted. */
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
      This {noun} was not created{isOver ? ': its pipeline was cancelled and rolled back.' : '.'}
    </Notice>
  );
}
