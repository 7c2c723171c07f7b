/** The pages of administrators, as tabs of each of them. */
import { TabsNav } from '@slipway/ui/layout/TabsNav.tsx';
import { useLocation } from 'react-router';
import { paths } from '#entities/paths.ts';

const tabs = [
  ['Overview', paths.operations()],
  ['Audit log', paths.audit()],
  ['Freeze windows', paths.freezeWindows()],
  ['Keys', paths.keys()],
  ['Settings', paths.platformSettings()],
  ['Health', paths.platformHealth()],
] as const;

export function PlatformTabs() {
  const { pathname } = useLocation();
  return <TabsNav label="Operations" hasBar items={tabs.map(([label, href]) => ({ label, href, isCurrent: pathname === href }))} />;
}
