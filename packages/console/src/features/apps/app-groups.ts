/** Apps by urgency: needs a look, deploying now, running well. */
import type { ApplicationSummary } from '@slipway/contract/application.ts';
import type { RowGroup } from '@slipway/ui/Table.tsx';

const needsLook = ({ health, state, running, lastDeploy }: ApplicationSummary): boolean =>
  state === 'NOT_CREATED' ||
  health.development === 'FAILING' ||
  health.production === 'FAILING' ||
  (running === null && lastDeploy?.state === 'FAILED');

const isMoving = ({ running, state }: ApplicationSummary): boolean => running !== null || state === 'CREATING' || state === 'DELETING';

export const groupApps = (apps: readonly ApplicationSummary[]): RowGroup<ApplicationSummary>[] => {
  const look = apps.filter(needsLook);
  const moving = apps.filter((app) => !look.includes(app) && isMoving(app));
  const well = apps.filter((app) => !look.includes(app) && !moving.includes(app));
  return [
    { key: 'look', label: 'Needs a look', rows: look },
    { key: 'moving', label: 'Deploying now', rows: moving },
    { key: 'well', label: 'Running well', rows: well },
  ];
};
