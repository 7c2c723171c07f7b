/** The databases of an app in one environment, followed by the backups of deleted databases. */
import { databaseList } from '@slipway/contract/database/database.ts';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Plus } from 'lucide-react';
import { paths } from '#entities/paths.ts';
import { useAppPlace } from '#entities/team/use-app-place.ts';
import { useQuery } from '#kit/api/query.ts';
import { listDefaults, useListControl } from '#kit/list/list-control.ts';
import { totalLabel } from '#kit/list/list-total.ts';
import { ResourceList } from '#kit/list/ResourceList.tsx';
import { reasonOf } from '#kit/error/messages.ts';
import { MembersOnly } from '#kit/page/MembersOnly.tsx';
import { LeftBackups } from '#features/databases/backups/LeftBackups.tsx';
import { databaseColumns } from './database-columns.tsx';

/** No change event announces new sizes and connections. */
const observedMs = 10_000;

export function Component() {
  const { app, env, application, team, isMember, noRight } = useAppPlace();
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
  const newLink = (
    <LinkButton
      href={paths.newDatabase(place)}
      icon={<Plus aria-hidden="true" />}
      disabledReason={reasonOf(application?.can, 'createService', { team })}
    >
      New database
    </LinkButton>
  );
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
          note={
            <span className="row push">
              {list.data && <span className="meta num">{totalLabel(list.data, 'database', 'databases')}</span>}
              {newLink}
            </span>
          }
          firstUse={{
            title: `No databases in ${env} yet`,
            text: 'A database lives here with its backups. Services read it through a secret group.',
            actions: newLink,
          }}
        />
      </div>
      {isAsked && <LeftBackups place={place} />}
    </div>
  );
}
