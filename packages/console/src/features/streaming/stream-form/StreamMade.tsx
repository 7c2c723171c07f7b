/** The list beside a new stream: preview, progress, and result. */
import { isActive, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { Panel, PanelFoot } from '@slipway/ui/layout/Panel.tsx';
import { MadeList, type MadeItem } from '@slipway/ui/list/MadeList.tsx';
import { Braces, KeyRound, UserRound, Waves } from 'lucide-react';
import type { ReactNode } from 'react';
import { partState, type StreamPart, type StreamPartName } from './stream-plan.ts';

const icons: Readonly<Record<StreamPartName, ReactNode>> = {
  schema: <Braces aria-hidden="true" />,
  topic: <Waves aria-hidden="true" />,
  account: <UserRound aria-hidden="true" />,
  group: <KeyRound aria-hidden="true" />,
};
const titleOf = (run: PipelineRun | undefined): string => {
  if (!run) return 'What will be made';
  if (run.status.state === 'COMPLETED') return 'What was made';
  return isActive(run.status.state) ? 'What is being made' : 'What was to be made';
};

interface StreamMadeProps {
  plan: readonly StreamPart[];
  /** Highlighted within the values while the user types. */
  highlight: string;
  run: PipelineRun | undefined;
}

export function StreamMade({ plan, highlight, run }: StreamMadeProps) {
  const title = titleOf(run);
  const items = plan.map(({ key, label, value, note }): MadeItem => ({
    key,
    label,
    value,
    note,
    ...(run ? { state: partState(run, key) } : { highlight, icon: icons[key] }),
  }));
  return (
    <section className="stack stack-12" aria-labelledby="will-be-made">
      <div className="row row-baseline">
        <h2 id="will-be-made">{title}</h2>
        {!run && <span className="meta push">{items.length} in one go</span>}
      </div>
      <Panel>
        <MadeList label={title} items={items} />
        {!run && <PanelFoot>If one step fails, what this run has made is taken away again.</PanelFoot>}
      </Panel>
    </section>
  );
}
