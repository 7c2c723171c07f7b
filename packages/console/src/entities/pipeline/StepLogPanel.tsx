/** The log of a pipeline step, live while it runs. The selected line and "errors only" are in the URL. */
import type { PipelineRun, PipelineStep } from '@slipway/contract/pipeline/pipeline.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { Panel, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { SegmentedLinks } from '@slipway/ui/form/Segmented.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { useCopy } from '@slipway/ui/text/Copy.tsx';
import { ArrowDownToLine, Check, Copy, WrapText } from 'lucide-react';
import { useId, useState, type ReactNode } from 'react';
import { isStatus } from '#kit/api/errors.ts';
import { useInPageLinks } from '#kit/page/in-page-links.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { noFilter, type LogFilter } from '#kit/log/log-filter.ts';
import type { LogStore } from '#kit/log/log-store.ts';
import { LogViewer } from '#kit/log/LogViewer.tsx';
import { useLogCount, useLogWrap } from '#kit/log/use-log-tools.ts';
import { useStepLog } from './use-step-log.ts';
import { useUrlState } from '#kit/state/url-state.ts';

const defaults = { line: '', log: '' };
const errorsOnly: LogFilter = { ...noFilter, levels: ['error'] };

export interface StepLogPanelProps {
  run: PipelineRun;
  step: PipelineStep;
  /** Shown between the head and the log. */
  children?: ReactNode;
}

const live = (
  <Status tone="run" isTinted>
    Live
  </Status>
);

const emptyLabel = ({ state }: PipelineStep): string => {
  if (state === 'RUNNING') return 'Waiting for the first line';
  if (state === 'PENDING') return 'This step has not begun.';
  if (state === 'SKIPPED') return 'There was nothing to do in this step.';
  return 'This step wrote nothing.';
};

export function StepLogPanel({ run, step, children }: StepLogPanelProps) {
  const titleId = useId();
  const isRunning = step.state === 'RUNNING';
  const log = useStepLog({ pipelineId: run.pipelineId, runId: run.runId, step: step.code, isRunning });
  const { state, set, hrefOf } = useUrlState(defaults);
  const [isFollowing, setFollowing] = useState(state.line === '');
  const [isWrapped, setWrapped] = useLogWrap();
  const errors = useLogCount(log.store, 'error');
  const onLinks = useInPageLinks();
  const isUnread = log.error !== undefined && log.store.lines.length === 0;
  return (
    <Panel aria-labelledby={titleId} onClickCapture={onLinks}>
      <PanelHead title={step.name} titleId={titleId} {...(isRunning ? { note: live } : {})}>
        {errors > 0 && (
          <SegmentedLinks
            label="Lines"
            items={[
              { label: 'All', href: hrefOf({ log: '' }), isCurrent: state.log !== 'errors' },
              { label: `Errors ${errors.toLocaleString('en')}`, href: hrefOf({ log: 'errors' }), isCurrent: state.log === 'errors' },
            ]}
          />
        )}
        {!isUnread && (
          <>
            {isRunning && <FollowButton isFollowing={isFollowing} onFollow={setFollowing} />}
            <IconButton
              label="Wrap long lines"
              variant="quiet"
              aria-pressed={isWrapped}
              icon={<WrapText aria-hidden="true" />}
              onClick={() => setWrapped(!isWrapped)}
            />
            <CopyLog store={log.store} />
          </>
        )}
      </PanelHead>
      {children}
      {isUnread ? (
        <LogError log={log} />
      ) : (
        <LogViewer
          store={log.store}
          label={`Log of ${step.name}`}
          filter={state.log === 'errors' && errors > 0 ? errorsOnly : noFilter}
          isWrapped={isWrapped}
          isFollowing={isFollowing}
          onFollow={setFollowing}
          {...(state.line === '' ? {} : { currentKey: state.line })}
          hrefOf={(line) => hrefOf({ line })}
          onMark={(line) => set({ line }, { replace: true })}
          empty={log.isLoading && step.state !== 'PENDING' ? 'Reading the log' : emptyLabel(step)}
        />
      )}
    </Panel>
  );
}

/** Toggles whether the newest line stays in view. */
export function FollowButton({ isFollowing, onFollow }: { isFollowing: boolean; onFollow: (isFollowing: boolean) => void }) {
  return (
    <Button variant="quiet" icon={<ArrowDownToLine aria-hidden="true" />} aria-pressed={isFollowing} onClick={() => onFollow(!isFollowing)}>
      {isFollowing ? 'Following' : 'Follow'}
    </Button>
  );
}

function CopyLog({ store }: { store: LogStore }) {
  const { outcome, copy } = useCopy();
  const text = (): string => store.lines.map(({ at, text: line }) => `${at} ${line}`).join('\n');
  return (
    <IconButton
      label={{ idle: 'Copy the log', copied: 'Copied', failed: 'Could not copy' }[outcome]}
      variant="quiet"
      icon={outcome === 'copied' ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />}
      onClick={() => void copy(text())}
    />
  );
}

function LogError({ log }: { log: ReturnType<typeof useStepLog> }) {
  if (isStatus(log.error, 403)) {
    return (
      <EmptyState kind="no-right" title="Logs are for members of the team">
        The steps and their outcome are for everybody.
      </EmptyState>
    );
  }
  return <ListError what="lines of this step" query={{ error: log.error, attempt: log.attempt, mutate: async () => log.retry() }} />;
}
