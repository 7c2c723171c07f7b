/** The team that owns the service, and its contacts. */
import type { Application } from '@slipway/contract/application.ts';
import { KeyValue } from '@slipway/ui/layout/KeyValue.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelBody, PanelFoot, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { paths } from '#entities/paths.ts';
import { useTeamOwners } from '#entities/team/use-team-owners.ts';

export function WhoToAsk({ app }: { app: Application }) {
  const owners = useTeamOwners(app.teamId);
  // Disabled controls show their reason only on hover or focus. This panel explains it for all of them.
  const isStranger = app.can['createService'] === 'NotAMember';
  return (
    <Panel aria-labelledby="who-to-ask">
      <PanelHead title="Who to ask" titleId="who-to-ask" />
      <PanelBody>
        <KeyValue
          items={[
            { label: 'Team', value: <Link href={paths.team(app.teamId)}>{app.teamName}</Link> },
            { label: 'Owners', value: owners ?? '–' },
          ]}
        />
      </PanelBody>
      {isStranger && (
        <PanelFoot>
          <span className="meta">
            You are not in {app.teamName}: you can look, but not change anything.{owners && ` Ask ${owners} to add you.`}
          </span>
        </PanelFoot>
      )}
    </Panel>
  );
}
