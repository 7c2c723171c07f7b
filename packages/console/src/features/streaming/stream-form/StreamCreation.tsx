/** The list beside a new stream: preview, progress, and result. */
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import type { MadeItem } from '@slipway/ui/list/MadeList.tsx';
import { Braces, KeyRound, UserRound, Waves } from 'lucide-react';
import type { ReactNode } from 'react';
import { CreationPanel } from '#entities/plan/CreationPanel.tsx';
import { partState, type StreamPart, type StreamPartName } from './stream-plan.ts';

const icons: Readonly<Record<StreamPartName, ReactNode>> = {
  schema: <Braces aria-hidden="true" />,
  topic: <Waves aria-hidden="true" />,
  account: <UserRound aria-hidden="true" />,
  group: <KeyRound aria-hidden="true" />,
};
interface StreamCreationProps {
  plan: readonly StreamPart[];
  /** Highlighted within the values while the user types. */
  highlight: string;
  run: PipelineRun | undefined;
}

export function StreamCreation({ plan, highlight, run }: StreamCreationProps) {
  const items = plan.map(({ key, label, value, note }): MadeItem => ({
    key,
    label,
    value,
    note,
    ...(run ? { state: partState(run, key) } : { highlight, icon: icons[key] }),
  }));
  return <CreationPanel items={items} run={run} />;
}
