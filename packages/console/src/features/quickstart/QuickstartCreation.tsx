/** The list beside a quickstart. The same list shows what will be created, the progress, and the result. */
import { isActive, type PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { quickstartParts } from '@slipway/contract/quickstart.ts';
import type { MadeItem } from '@slipway/ui/list/MadeList.tsx';
import { Database, GitBranch, Globe, Layers, Package, Server, Waves } from 'lucide-react';
import type { ReactNode } from 'react';
import { paths } from '#entities/paths.ts';
import { StepTime } from '#entities/pipeline/StepTime.tsx';
import { CreationPanel } from '#entities/plan/CreationPanel.tsx';
import { planProgress, type PlanItem, type PlanKind, type PlanNames } from './quickstart-plan.ts';

const icons: Readonly<Record<PlanKind, ReactNode>> = {
  repository: <GitBranch aria-hidden="true" />,
  registry: <Package aria-hidden="true" />,
  database: <Database aria-hidden="true" />,
  stream: <Waves aria-hidden="true" />,
  image: <Layers aria-hidden="true" />,
  service: <Server aria-hidden="true" />,
  url: <Globe aria-hidden="true" />,
};

export interface QuickstartCreationProps {
  plan: readonly PlanItem[];
  names: PlanNames;
  /** Highlighted within the values while the user types. */
  highlight: string;
  run: PipelineRun | undefined;
}

const promised = ({ plan, highlight }: QuickstartCreationProps): MadeItem[] =>
  plan.map(({ kind, label, value, note }) => ({ key: kind, label, value, note, highlight, icon: icons[kind] }));

const hrefOf = (kind: PlanKind, names: PlanNames, run: PipelineRun): string | undefined => {
  const { app, env } = names;
  const { database, topic } = quickstartParts(app);
  if (kind === 'service') return paths.service(names);
  if (kind === 'database') return paths.database({ app, env, database });
  if (kind === 'stream') return paths.topic({ app, env, topic });
  return kind === 'url' ? run.facts['url'] : undefined;
};

const moving = ({ plan, names }: QuickstartCreationProps, run: PipelineRun): MadeItem[] =>
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

export function QuickstartCreation(props: QuickstartCreationProps) {
  const { run } = props;
  return <CreationPanel items={run ? moving(props, run) : promised(props)} run={run} />;
}
