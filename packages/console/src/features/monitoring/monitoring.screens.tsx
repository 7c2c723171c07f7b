/** Registers the screens of browser monitors. Their list is a tab of the app page, which the shell registers. */
import { monitorKind } from '@slipway/contract/kinds/monitor.kind.ts';
import type { Monitor } from '@slipway/contract/monitoring/monitor.ts';
import { Gauge } from 'lucide-react';
import { resourceScreens } from '#entities/resource/screens.ts';

export const monitorScreens = resourceScreens<Monitor>({
  kind: monitorKind,
  list: async () => (await import('@slipway/contract/monitoring/monitor.ts')).monitorList,
  icon: <Gauge aria-hidden="true" />,
  newPage: () => import('./NewMonitorPage.tsx'),
  page: () => import('./MonitorPage.tsx'),
  hasTabs: true,
  nameOf: ({ name }) => ({ name, title: name }),
});
