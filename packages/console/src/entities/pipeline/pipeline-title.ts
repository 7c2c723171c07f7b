/** Short title of a pipeline: "Deploy revision 35", "Disable revision 34". */
import type { PipelineRun } from '@slipway/contract/pipeline/pipeline.ts';
import { pipelineTypeName } from './pipeline-progress.ts';

type Titled = Pick<PipelineRun, 'pipelineType' | 'facts' | 'status' | 'subject'>;

/** `berth-api-35` → `35`. */
export const revisionNumber = (name: string): string => name.slice(name.lastIndexOf('-') + 1);

/** Switching on skips the step that stops instances; until that step begins the direction is unknown. */
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
    case 'Rollback':
      return facts['from'] ? `Roll back to revision ${revisionNumber(facts['from'])}` : pipelineTypeName(pipelineType);
    case 'QuickstartApplication':
    case 'QuickstartApplicationParts':
      return `Create app ${run.subject.app ?? ''}`.trim();
    case 'QuickstartService':
      return `Create service ${run.subject.service ?? ''}`.trim();
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
  token: 'Via API',
  push: 'Push',
  image: 'New image',
  settings: 'Settings change',
  rollback: 'Rollback',
  platform: 'Platform',
};
export const triggerName = (trigger: string): string => triggers[trigger] ?? trigger;

/** Returns the trigger with its most telling detail: the commit of a push, the tag of an image, the reason of a rollback. */
export const triggerLabel = ({ trigger, facts }: Pick<PipelineRun, 'trigger' | 'facts'>): string => {
  const { commit, imageTag, reason, settings } = facts;
  if (trigger === 'push' && commit) return `Push of ${commit}`;
  if (trigger === 'image' && imageTag) return `New image ${imageTag}`;
  if (trigger === 'rollback' && reason) return `Rollback: ${reason}`;
  if (trigger === 'settings' && settings) return `Settings: ${settings}`;
  return triggerName(trigger);
};
