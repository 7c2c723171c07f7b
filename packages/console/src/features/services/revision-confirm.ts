/** What is asked before a revision is enabled, disabled or deleted: the thing, and what it costs. */
import type { Revision } from '@slipway/contract/revision.ts';
import type { ConfirmDialogProps } from '@slipway/ui/ConfirmDialog.tsx';

export type RevisionDeed = 'enable' | 'disable' | 'delete';
type Words = Pick<ConfirmDialogProps, 'title' | 'description' | 'confirmLabel' | 'busyLabel' | 'keepLabel' | 'variant'> & {
  consequences: string[];
};

const instances = (count: number): string => `${count} ${count === 1 ? 'instance' : 'instances'}`;

const disable = ({ name, isServing, replicasReady, url }: Revision): Words => ({
  title: `Disable ${name}?`,
  consequences: [
    ...(replicasReady > 0 ? [`Stops ${instances(replicasReady)}`] : []),
    ...(isServing ? [`No other revision takes over: ${url ?? 'the service'} answers 503 until another one is enabled or deployed`] : []),
  ],
  description: 'It keeps its settings and its log, and can be enabled again.',
  confirmLabel: `Disable ${name}`,
  busyLabel: 'Disabling',
  keepLabel: isServing ? 'Keep it serving' : 'Keep it',
});

const takeOver = ({ name, spec }: Revision, serving: string): string => {
  const { strategy } = spec.rollout;
  if (strategy === 'RECREATE') return `${serving} stops first: the service is down until ${name} is healthy`;
  return strategy === 'RED_BLACK' ? `Once it is healthy, ${serving} is disabled` : `Once it is healthy, ${serving} is deleted`;
};

const enable = (revision: Revision, serving: string | null): Words => ({
  title: `Enable ${revision.name}?`,
  consequences: serving !== null && serving !== revision.name ? [takeOver(revision, serving)] : [],
  description: `The same rollout as a deploy, onto this revision: its image ${revision.imageTag} with the settings it was made from.`,
  confirmLabel: `Enable ${revision.name}`,
  busyLabel: 'Enabling',
  keepLabel: 'Leave it off',
  variant: 'primary',
});

const remove = ({ name, replicasReady }: Revision): Words => ({
  title: `Delete ${name}?`,
  consequences: [...(replicasReady > 0 ? [`Stops ${instances(replicasReady)}`] : []), 'It cannot be enabled again'],
  description: 'It stays in the list with its settings.',
  confirmLabel: `Delete ${name}`,
  busyLabel: 'Deleting',
});

export const revisionConfirm = (deed: RevisionDeed, revision: Revision, serving: string | null): Words =>
  ({ enable, disable, delete: remove })[deed](revision, serving);
