/** The map of a team: its apps, and the apps of others that exchange messages with them, in one environment. */
import { environments, environmentOf, type Environment } from '@slipway/contract/kernel/fields.ts';
import { teamMapView } from '@slipway/contract/map.ts';
import { SegmentedLinks } from '@slipway/ui/form/Segmented.tsx';
import { MapPanel } from '#entities/map/MapPanel.tsx';
import { useQuery } from '#kit/api/query.ts';
import { useUrlState } from '#kit/state/url-state.ts';

const POLL_MS = 30_000;
const defaults = { env: 'production' };
const labels: Readonly<Record<Environment, string>> = { production: 'Production', development: 'Development' };

export function TeamMap({ id }: { id: string }) {
  const { state, hrefOf } = useUrlState(defaults);
  const env = environmentOf(state.env) ?? 'production';
  const query = useQuery(teamMapView, { params: { team: id, env } }, { isAlwaysPolled: true, pollMs: POLL_MS });
  return (
    <>
      <SegmentedLinks
        label="Environment"
        items={[...environments].reverse().map((one) => ({ label: labels[one], href: hrefOf({ env: one }), isCurrent: one === env }))}
      />
      <MapPanel
        query={query}
        title="Apps and what connects them"
        team={id}
        env={env}
        empty={{
          title: 'The team has no apps yet',
          text: 'The map shows the apps of the team, and which apps read and write their topics.',
        }}
      />
    </>
  );
}
