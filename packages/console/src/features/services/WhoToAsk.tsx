/** The team that owns the service, and whom to turn to. */
import type { Application } from '@slipway/contract/application.ts';
import { KeyValue } from '@slipway/ui/KeyValue.tsx';
import { Link } from '@slipway/ui/Link.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/Panel.tsx';
import { paths } from '#lib/paths.ts';
import { useTeamOwners } from '#lib/use-team-owners.ts';

export function WhoToAsk({ app }: { app: Application }) {
  const owners = useTeamOwners(app.teamId);
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
    </Panel>
  );
}
