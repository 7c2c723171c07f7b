/** The list beside a quickstart. The same list shows what will be created, the progress, and the result. */
import { isActive, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';

import { MadeList, type MadeItem } from '@slipway/ui/list/MadeList.tsx';
import { Panel, PanelFoot } from '@slipway/ui/layout/Panel.tsx';
import { GitBranch, Globe, Layers, Package, Server } from 'lucide-react';
import { useId, type ReactNode } from 'react';
import { paths } from '#entities/paths.ts';
import { StepTime } from '#entities/pipeline/StepTime.tsx';
import { planProgress, type PlanItem, type PlanKind, type PlanNames } from './quickstart-plan.ts';

const icons: Readonly<Record<PlanKind, ReactNode>> = {
  repository: <GitBranch aria-hidden="true" />,
  registry: <Package aria-hidden="true" />,
  image: <Layers aria-hidden="true" />,
  service: <Server aria-hidden="true" />,
  url: <Globe aria-hidden="true" />,
};

export interface MadePanelProps {
  plan: readonly PlanItem[];
  names: PlanNames;
  /** Highlighted within the values while the user types. */
  highlight: string;
  run: PipelineRun | undefined;
}

const promised = ({ plan, highlight }: MadePanelProps): MadeItem[] =>
  plan.map(({ kind, label, value, note }) => ({ key: kind, label, value, note, highlight, icon: icons[kind] }));

const hrefOf = (kind: PlanKind, names: PlanNames, run: PipelineRun): string | undefined => {
  if (kind === 'service') return paths.service(names);
  return kind === 'url' ? run.facts['url'] : undefined;
};

const moving = ({ plan, names }: MadePanelProps, run: PipelineRun): MadeItem[] =>
  planProgress(plan, run, !isActive(run.status.state)).map(({ item, state, note, startedAt, endedAt }) => {
    const href = state === 'completed' ? hrefOf(item.kind, names, run) : undefined;
    return {
      key: item.kind,
      label: item.label,
      value: item.kind === 'url' ? (run.facts['url'] ?? item.value) : item.value,
      note,
      state,
      ...(startedAt && state !== 'todo' ? { time: <StepTime from={startedAt} to={endedAt} /> } : {}),
      ...(href ? { href } : {}),
    };
  });

const titleOf = (run: PipelineRun | undefined): string => {
  if (!run) return 'What will be made';
  if (run.status.state === 'COMPLETED') return 'What was made';
  return isActive(run.status.state) ? 'What is being made' : 'What was to be made';
};

export function MadePanel(props: MadePanelProps) {
  const { plan, run } = props;
  const titleId = useId();
  return (
    <section className="stack stack-12" aria-labelledby={titleId}>
      <div className="row row-baseline">
        <h2 id={titleId}>{titleOf(run)}</h2>
        {!run && <span className="meta push">{plan.length} things, none made yet</span>}
      </div>
      <Panel>
        <MadeList label={titleOf(run)} items={run ? moving(props, run) : promised(props)} />
        {!run && <PanelFoot>Should a step fail, what was made before it is removed again.</PanelFoot>}
      </Panel>
    </section>
  );
}
