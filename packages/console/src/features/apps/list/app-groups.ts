/** Groups apps by urgency: needs a look, deploying now, running well, idle. */
import type { ApplicationSummary } from '@slipway/contract/application.ts';
import type { RowGroup } from '@slipway/ui/list/Table.tsx';

const needsLook = ({ health, state, running, lastDeploy }: ApplicationSummary): boolean =>
  state === 'NOT_CREATED' ||
  health.development === 'FAILING' ||
  health.production === 'FAILING' ||
  (running === null && lastDeploy?.state === 'FAILED');

const isMoving = ({ running, state }: ApplicationSummary): boolean => running !== null || state === 'CREATING' || state === 'DELETING';

/** True if the app has no active service. */
const isIdle = ({ health }: ApplicationSummary): boolean =>
  [health.development, health.production].every((state) => state === 'NONE' || state === 'INACTIVE' || state === 'NO_INSTANCES');

/** `isWhole`: `apps` holds all apps, not one page of them. */
export const groupApps = (apps: readonly ApplicationSummary[], isWhole = true): RowGroup<ApplicationSummary>[] => {
  const look = apps.filter(needsLook);
  const moving = apps.filter((app) => !look.includes(app) && isMoving(app));
  const others = apps.filter((app) => !look.includes(app) && !moving.includes(app));
  return [
    { key: 'look', label: 'Needs a look', rows: look, isWhole },
    { key: 'moving', label: 'Deploying now', rows: moving, isWhole },
    { key: 'well', label: 'Running well', rows: others.filter((app) => !isIdle(app)), isWhole },
    { key: 'idle', label: 'Not running', rows: others.filter(isIdle), isWhole },
  ];
};
