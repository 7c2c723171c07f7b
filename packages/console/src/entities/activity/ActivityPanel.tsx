/** The activity log as a part of a page. Looked at now and then: it comes when its tab is opened. */
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
