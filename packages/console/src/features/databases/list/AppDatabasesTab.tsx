/** The databases of an app in one environment, followed by the backups of deleted databases. */
import { databaseList } from '@slipway/contract/database/database.ts';
import { paths } from '#entities/paths.ts';
import { useAppPlace } from '#entities/team/use-app-place.ts';
import { useQuery } from '#kit/api/query.ts';
import { FirstUse } from '#kit/list/FirstUse.tsx';
import { listDefaults, useListControl } from '#kit/list/list-control.ts';
import { NewLink } from '#kit/list/NewLink.tsx';
import { ResourceList } from '#kit/list/ResourceList.tsx';
import { MembersOnly } from '#kit/page/MembersOnly.tsx';
import { OrphanedBackups } from '#features/databases/backups/OrphanedBackups.tsx';
import { databaseColumns } from './database-columns.tsx';

/** No change event announces new sizes and connections. */
const observedMs = 10_000;

export function Component() {
  const { app, env, createReason, isMember, noRight } = useAppPlace();
  const control = useListControl(listDefaults);
  const isAsked = isMember === true && env !== undefined;
  const list = useQuery(databaseList, isAsked && { params: { app, env }, query: control.filter }, {
    keepPreviousData: true,
    pollMs: observedMs,
    isAlwaysPolled: true,
  });
  if (env === undefined) return null;
  if (isMember === false) return <MembersOnly label="Databases">{noRight}</MembersOnly>;
  const place = { app, env };
  return (
    <div className="stack stack-24">
      <div className="stack stack-12">
        <ResourceList
          label="Databases"
          noun="database"
          plural="databases"
          list={list}
          control={control}
          columns={databaseColumns}
          rowKey={({ name }) => name}
          density="tall"
          loadingRows={3}
          searchLabel="Filter databases"
          newLink={<NewLink label="New database" href={paths.newDatabase(place)} reason={createReason} />}
          firstUse={{
            title: `No databases in ${env} yet`,
            text: (
              <FirstUse
                purpose="Managed PostgreSQL with nightly backups. Services get its address and password as environment variables."
                label="In a service that the database is attached to"
                code={'psql "$DB_URL"'}
              />
            ),
          }}
        />
      </div>
      {isAsked && <OrphanedBackups place={place} />}
    </div>
  );
}
