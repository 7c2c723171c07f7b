/** What a pipeline does, in a few words: "Deploy revision 35", "Disable revision 34". */
import type { PipelineRun } from '@slipway/contract/pipeline.ts';
import { pipelineTypeName } from './pipeline-progress.ts';

type Titled = Pick<PipelineRun, 'pipelineType' | 'facts' | 'status' | 'subject'>;

/** `berth-api-35` → `35`. */
export const revisionNumber = (name: string): string => name.slice(name.lastIndexOf('-') + 1);

/** Stopping is skipped where something is switched on; before the step began nobody can tell. */
const switchWord = ({ status: { steps } }: Titled): 'on' | 'off' | undefined => {
  const stop = steps.find(({ code }) => code === 'StopInstances');
  if (!stop || stop.state === 'PENDING') return undefined;
  return stop.state === 'SKIPPED' ? 'on' : 'off';
};

export const pipelineTitle = (run: Titled): string => {
  const { pipelineType, facts } = run;
  const revision = facts['revision'] ? `revision ${revisionNumber(facts['revision'])}` : undefined;
  switch (pipelineType) {
    case 'Deploy':
      return revision ? `Deploy ${revision}` : 'Deploy';
    case 'BuildAndDeploy':
      return revision ? `Build and deploy ${revision}` : 'Build and deploy';
    case 'QuickstartApplication':
      return `Make app ${run.subject.app ?? ''}`.trim();
    case 'QuickstartService':
      return `Make service ${run.subject.service ?? ''}`.trim();
    case 'ServiceActivation':
      return { on: 'Activate service', off: 'Deactivate service', unknown: 'Activate or deactivate' }[switchWord(run) ?? 'unknown'];
    case 'RevisionActivation':
      return `${{ on: 'Enable', off: 'Disable', unknown: 'Enable or disable' }[switchWord(run) ?? 'unknown']} ${revision ?? 'a revision'}`;
    case 'DeleteRevision':
      return `Delete ${revision ?? 'revision'}`;
    default:
      return pipelineTypeName(pipelineType);
  }
};

const triggers: Readonly<Record<string, string>> = {
  person: 'Started by hand',
  token: 'By a program',
  push: 'Push',
  image: 'New image',
  settings: 'Settings change',
  rollback: 'Rollback',
  platform: 'Platform',
};
export const triggerName = (trigger: string): string => triggers[trigger] ?? trigger;
