/** The line under a database's header: the two environments, and the running pipeline. */
import { databaseList, type Database } from '@slipway/contract/database/database.ts';
import { environments, type Environment } from '@slipway/contract/kernel/fields.ts';
import { EnvironmentBar } from '@slipway/ui/layout/EnvironmentBar.tsx';
import { paths, type DatabaseTab } from '#entities/paths.ts';
import { PassingPipeline } from '#entities/pipeline/PassingPipeline.tsx';
import { useQuery } from '#kit/api/query.ts';
import type { DatabasePlace } from '#features/databases/use-database.ts';

export interface DatabaseWaterlineProps {
  place: DatabasePlace;
  database: Database | undefined;
  tab: DatabaseTab;
}

/** Queries the list, because it also answers if the database does not exist. A request for the database itself would fail with an error. */
const useOther = ({ app, env, database }: DatabasePlace): boolean => {
  const other = env === 'production' ? 'development' : 'production';
  const { data } = useQuery(databaseList, { params: { app, env: other }, query: { query: database, size: 100 } }, { pollMs: 0 });
  return data?.content.some(({ name }) => name === database) ?? false;
};

export function DatabaseWaterline({ place, database, tab }: DatabaseWaterlineProps) {
  const hasOther = useOther(place);
  const hrefOf = (environment: Environment): string =>
    environment === place.env || hasOther
      ? paths.database({ ...place, env: environment }, tab)
      : paths.databases({ app: place.app, env: environment });
  return (
    <EnvironmentBar
      environment={place.env}
      links={[...environments].reverse().map((environment) => ({ environment, href: hrefOf(environment) }))}
      passing={<PassingPipeline pipelineId={database?.status.pipelineId} />}
    />
  );
}
