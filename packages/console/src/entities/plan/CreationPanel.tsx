/** The list beside a creation form: what the pipeline will create. Given a run, the same list shows its progress and its result. */
import { isActive, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { Panel, PanelFoot } from '@slipway/ui/layout/Panel.tsx';
import { MadeList, type MadeItem } from '@slipway/ui/list/MadeList.tsx';
import { useId, type ReactNode } from 'react';

const titleOf = (run: PipelineRun | undefined): string => {
  if (!run) return 'You’ll get';
  if (run.status.state === 'COMPLETED') return 'Created';
  return isActive(run.status.state) ? 'Creating' : 'Not created';
};

interface CreationPanelProps {
  items: MadeItem[];
  run?: PipelineRun | undefined;
  /** Says what happens if a step fails, or what the user can do afterwards. Hidden once a run has started. */
  children?: ReactNode;
}

export function CreationPanel({ items, run, children }: CreationPanelProps) {
  const id = useId();
  const title = titleOf(run);
  return (
    <section className="stack stack-12" aria-labelledby={id}>
      <div className="row row-baseline">
        <h2 id={id}>{title}</h2>
        {!run && <span className="meta push">{items.length} resources</span>}
      </div>
      <Panel>
        <MadeList label={title} items={items} />
        {!run && (
          <PanelFoot>
            <span>{children ?? 'If a step fails, everything is rolled back.'}</span>
          </PanelFoot>
        )}
      </Panel>
    </section>
  );
}
