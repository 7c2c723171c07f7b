/** Creates a database: name, size and services that read it, with a list of what will be created. */
import { databaseOptionsView } from '@slipway/contract/database/database.ts';
import { Tag } from '@slipway/ui/feedback/Tag.tsx';
import { PageError } from '#entities/PageError.tsx';
import { paths, type AppRef } from '#entities/paths.ts';
import { NewPage } from '#entities/resource/NewPage.tsx';
import { useQuery } from '#kit/api/query.ts';
import { NewDatabaseForm } from './NewDatabaseForm.tsx';

export const Component = () => (
  <NewPage
    title="New database"
    lede="PostgreSQL with a backup every night."
    status={<Tag>Alpha</Tag>}
    hrefOf={paths.newDatabase}
    membersOnly="Databases"
  >
    {(place, reason) => <NewDatabase place={place} reason={reason} />}
  </NewPage>
);

/** Loads the regions first, because the form defaults to the first available region. */
function NewDatabase({ place, reason }: { place: AppRef; reason: string | undefined }) {
  const query = useQuery(databaseOptionsView, { params: { app: place.app, env: place.env } }, { pollMs: 0 });
  if (query.error && !query.data) return <PageError what="regions" query={query} />;
  return query.data ? <NewDatabaseForm place={place} regions={query.data.regions} reason={reason} /> : null;
}
