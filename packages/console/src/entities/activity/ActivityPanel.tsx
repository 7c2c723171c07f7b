/** The activity log as part of a page. Its code loads when its tab is opened, because it is rarely used. */
import { lazy, Suspense } from 'react';
import type { ActivityPanelProps } from './ActivityLog.tsx';

const ActivityLog = lazy(() => import('./ActivityLog.tsx'));

export function ActivityPanel(props: ActivityPanelProps) {
  return (
    <Suspense>
      <ActivityLog {...props} />
    </Suspense>
  );
}
