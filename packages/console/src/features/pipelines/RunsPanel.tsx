/** The runs of one pipeline. A rerun is a run of its own; the earlier run stays readable. */
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { stepMessageOf } from '@slipway/contract/pipeline/steps.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Panel, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { failedStepOf } from '#entities/pipeline/pipeline-progress.ts';
import { pipelineLook } from '#entities/status.ts';
import css from './RunsPanel.module.css';

const numberOf = ({ runs, runId }: PipelineRun): number => runs.find((run) => run.runId === runId)?.number ?? 1;

export function RunsPanel({ run, hrefOf }: { run: PipelineRun; hrefOf: (runId: string) => string }) {
  if (run.runs.length < 2) return null;
  return (
    <Panel aria-labelledby="runs">
      <PanelHead title="Runs" titleId="runs" note={`${run.runs.length} in all, newest first`} />
      <ol className={css.runs}>
        {run.runs.map(({ runId, number, state, creationTimestamp, createdBy }, index) => (
          <li key={runId} className={css.run} data-current={runId === run.runId || undefined}>
            <Link href={hrefOf(index === 0 ? '' : runId)} {...(runId === run.runId ? { 'aria-current': 'true' as const } : {})}>
              Run {number}
            </Link>
            <Status tone={pipelineLook[state].tone}>{pipelineLook[state].word}</Status>
            <span className="meta push">
              {createdBy}, <RelativeTime at={creationTimestamp} />
            </span>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

/** The result of an earlier run, with a link to the newest. */
export function EarlierRun({ run, href }: { run: PipelineRun; href: string }) {
  const failed = failedStepOf(run);
  return (
    <Notice
      tone={failed ? 'bad' : 'idle'}
      actions={
        <LinkButton size="sm" href={href}>
          Newest run
        </LinkButton>
      }
    >
      <strong>
        Run {numberOf(run)} of {run.runs.length}.
      </strong>{' '}
      {failed
        ? `${failed.name} failed. ${stepMessageOf(failed.code, failed.message)}`
        : `It is ${pipelineLook[run.status.state].word.toLowerCase()}.`}
    </Notice>
  );
}
