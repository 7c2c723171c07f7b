/** The activity log of the whole platform, for administrators: search, and an export of what was found. */
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Panel } from '@slipway/ui/layout/Panel.tsx';
import { ActivityPanel } from '#entities/activity/ActivityPanel.tsx';
import { PlainPage } from '#kit/page/PlainPage.tsx';
import { PlatformTabs } from './PlatformTabs.tsx';
import { useIsAdministrator } from './AdministratorPage.tsx';

const name = 'Audit log';

export function Component() {
  const isAdministrator = useIsAdministrator();
  return (
    <PlainPage
      name={name}
      lede="Every change on the platform: who made it, when, and what it was before."
      tabs={isAdministrator && <PlatformTabs />}
      className="stack stack-12"
    >
      {isAdministrator === false && (
        <Panel aria-label={name}>
          <EmptyState level={2} kind="no-right" title={`${name} is for platform administrators`}>
            The activity log of your app is on its page.
          </EmptyState>
        </Panel>
      )}
      {isAdministrator && <ActivityPanel scope={{ isPlatform: true }} noRight="Ask an administrator." />}
    </PlainPage>
  );
}
