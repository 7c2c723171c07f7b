/** The current place, from the URL and the page's cached data. Uses the page's own queries: nothing is requested twice. */
import { applicationView, type Application } from '@slipway/contract/application.ts';
import { environmentOf, type Environment } from '@slipway/contract/kernel/fields.ts';
import { serviceView, type Service } from '@slipway/contract/service/service.ts';
import { teamView, type Team } from '@slipway/contract/team.ts';
import { useMatches } from 'react-router';
import { useQuery, type QueryError } from '#kit/api/query.ts';

export interface Place {
  app?: string | undefined;
  env?: Environment | undefined;
  service?: string | undefined;
  revision?: string | undefined;
  database?: string | undefined;
  team?: string | undefined;
  /** Set if loaded and existing. */
  application?: Application | undefined;
  serviceData?: Service | undefined;
  teamData?: Team | undefined;
  error?: QueryError | undefined;
}

/** The page itself polls if needed. */
const notPolled = { pollMs: 0 };

const environmentIn = (segment: string | undefined): Environment | undefined =>
  segment === undefined ? 'development' : environmentOf(segment);

export const usePlace = (): Place => {
  const params = useMatches().at(-1)?.params ?? {};
  const { app, service, revision, database, team } = params;
  const env = app === undefined ? undefined : environmentIn(params['env']);
  const appQuery = useQuery(applicationView, app !== undefined && { params: { app } }, notPolled);
  const serviceQuery = useQuery(
    serviceView,
    app !== undefined && env !== undefined && service !== undefined && { params: { app, env, service } },
    notPolled,
  );
  const teamQuery = useQuery(teamView, team !== undefined && { params: { team } }, notPolled);
  return {
    app,
    env,
    service,
    revision,
    database,
    team,
    application: appQuery.data,
    serviceData: serviceQuery.data,
    teamData: teamQuery.data,
    error: appQuery.error ?? serviceQuery.error ?? teamQuery.error,
  };
};

/** Returns the names of the place, to fill path parameters. */
export const namesOf = ({ app, env, service, revision, team }: Place): Readonly<Record<string, string | undefined>> => ({
  app,
  env,
  service,
  revision,
  team,
});
