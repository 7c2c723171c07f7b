/** The map of an app in one environment. */
import { appMapView } from '@slipway/contract/map.ts';
import { MapPanel } from '#entities/map/MapPanel.tsx';
import { paths } from '#entities/paths.ts';
import { useAppPlace } from '#entities/team/use-app-place.ts';
import { useQuery } from '#kit/api/query.ts';
import { NewLink } from '#kit/list/NewLink.tsx';

/** Changes of other apps, and readings of engines, send no hint about this app. */
const POLL_MS = 30_000;

export function Component() {
  const { app, env, application, createReason, noRight } = useAppPlace();
  const query = useQuery(appMapView, env !== undefined && { params: { app, env } }, { isAlwaysPolled: true, pollMs: POLL_MS });
  if (env === undefined) return null;
  return (
    <MapPanel
      query={query}
      title="What it is connected to"
      app={app}
      team={application?.teamId}
      env={env}
      note={query.data?.isComplete === false && `Databases, accounts, secret groups and other apps are for members. ${noRight}`}
      empty={{
        title: 'Nothing is connected to this app yet',
        text: 'The map shows services, what they use and who uses them. It follows from attached secret groups, grants of topics and external traffic.',
        actions: <NewLink isMain label="New service" href={paths.newService({ app, env })} reason={createReason} />,
      }}
    />
  );
}
