/** Creates a database: name, size and services that read it, with a list of what will be created. */
import { databaseOptionsView } from '@slipway/contract/database/database.ts';
import { EnvironmentBar } from '@slipway/ui/layout/EnvironmentBar.tsx';
import { Tag } from '@slipway/ui/feedback/Tag.tsx';
import { environments } from '@slipway/contract/kernel/fields.ts';
import { NotFound } from '#entities/NotFound.tsx';
import { PageError } from '#entities/PageError.tsx';
import { paths, type AppRef } from '#entities/paths.ts';
import { useAppPlace } from '#entities/team/use-app-place.ts';
import { useQuery } from '#kit/api/query.ts';
import { reasonOf } from '#kit/error/messages.ts';
import { PageBody } from '#kit/page/PageBody.tsx';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import { DatabasesNoRight } from '#features/databases/DatabasesNoRight.tsx';
import { NewDatabaseForm } from './NewDatabaseForm.tsx';

export function Component() {
  const { app, env, query, application, team, isMember, noRight } = useAppPlace();
  usePageTitle(['New database', app, env]);
  if (env === undefined) return <NotFound />;
  if (query.error && !application) return <PageError what={`app ${app}`} query={query} />;
  return (
    <>
      <PageHeader hasSkip={false} typeLabel={app} name="New database" status={<Tag>Alpha</Tag>} />
      <EnvironmentBar
        environment={env}
        links={[...environments].reverse().map((environment) => ({ environment, href: paths.newDatabase({ app, env: environment }) }))}
      />
      <PageBody>
        {isMember === false && <DatabasesNoRight noRight={noRight} />}
        {isMember && (
          <NewDatabase key={`${app}/${env}`} place={{ app, env }} reason={reasonOf(application?.can, 'createService', { team })} />
        )}
      </PageBody>
    </>
  );
}

/** Loads the regions first, because the form defaults to the first available region. */
function NewDatabase({ place, reason }: { place: AppRef; reason: string | undefined }) {
  const query = useQuery(databaseOptionsView, { params: { app: place.app, env: place.env } }, { pollMs: 0 });
  if (query.error && !query.data) return <PageError what="regions" query={query} />;
  return query.data ? <NewDatabaseForm place={place} regions={query.data.regions} reason={reason} /> : null;
}
