/** The last promotion of the app, part by part, and the button that continues a failed one. */
import { isActive, type PipelineState } from '@slipway/contract/pipeline/pipeline.ts';
import type { AppPromotion, PromotionPart } from '@slipway/contract/promotion.ts';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import type { Tone } from '@slipway/ui/tone.ts';
import { useEffect, useRef, type RefObject } from 'react';
import { paths } from '#entities/paths.ts';
import { RerunButton, usePipelineRun } from '#entities/pipeline/index.ts';
import { kindLabels } from './promotion-choice.ts';
import css from './PromotionPlan.module.css';

const looks: Readonly<Record<PromotionPart['state'], { tone: Tone; word: string }>> = {
  WAITING: { tone: 'off', word: 'Not started' },
  RUNNING: { tone: 'run', word: 'Running' },
  DONE: { tone: 'ok', word: 'Promoted' },
  ASKED: { tone: 'warn', word: 'Waits for approval' },
  FAILED: { tone: 'bad', word: 'Failed' },
};
const titleOf = (state: PipelineState): string => {
  if (isActive(state)) return 'Promotion is running';
  return { COMPLETED: 'Last promotion', FAILED: 'Last promotion failed', CANCELED: 'Last promotion was canceled' }[
    state as 'COMPLETED' | 'FAILED' | 'CANCELED'
  ];
};

function Part({ part: { kind, name, state, pipelineId, request, failure } }: { part: PromotionPart }) {
  const { tone, word } = looks[state];
  return (
    <li>
      <div>
        {kindLabels[kind]} {name}
        <div className="row row-wrap">
          <Status tone={tone}>{word}</Status>
          {pipelineId !== null && (
            <Link href={paths.anyPipeline(pipelineId)}>
              View pipeline<span className="sr"> of {name}</span>
            </Link>
          )}
          {request !== null && <Link href={paths.requests(request)}>{request}</Link>}
        </div>
        {failure !== null && state === 'FAILED' && <div className="meta">{failure}</div>}
      </div>
    </li>
  );
}

/** The button that was pressed disappears while the promotion runs: the focus moves to the progress. */
const useFocusWhenRunning = (isRunning: boolean): RefObject<HTMLElement | null> => {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isRunning && document.activeElement === document.body) panel.current?.focus({ preventScroll: true });
  }, [isRunning]);
  return panel;
};

export function LatestPromotion({ latest, team }: { latest: NonNullable<AppPromotion['latest']>; team: string }) {
  const panel = useFocusWhenRunning(isActive(latest.state));
  const canContinue = latest.state === 'FAILED' || latest.state === 'CANCELED';
  const { data: run } = usePipelineRun(canContinue ? latest.pipelineId : undefined);
  return (
    <Panel ref={panel} tabIndex={-1} aria-labelledby="latest-promotion">
      <PanelHead title={titleOf(latest.state)} titleId="latest-promotion" />
      <ol className={css.plan}>
        {latest.parts.map((part) => (
          <Part key={`${part.kind} ${part.name}`} part={part} />
        ))}
      </ol>
      {canContinue && run && (
        <PanelBody>
          <RerunButton run={run} team={team} variant="primary">
            Continue
          </RerunButton>
        </PanelBody>
      )}
    </Panel>
  );
}
