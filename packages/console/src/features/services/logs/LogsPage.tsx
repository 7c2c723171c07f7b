/** The log of a revision on its own page, as tall as the window. */
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { PageError } from '#entities/PageError.tsx';
import { reasonOf } from '#kit/error/messages.ts';
import { NotFound } from '#entities/NotFound.tsx';
import { PageBody } from '#kit/page/PageBody.tsx';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import { paths } from '#entities/paths.ts';
import { RevisionLogPanel } from './RevisionLogPanel.tsx';
import { ServiceBar } from '#features/services/page/ServiceBar.tsx';
import { useRevision } from '#features/services/revision/use-revision.ts';

export function Component() {
  const { place, query, revision, service, app, noRight } = useRevision();
  usePageTitle(['Logs', place?.revision, place?.app, place?.env]);
  if (!place) return <NotFound />;
  if (query.error && !revision) return <PageError what={`revision ${place.revision}`} query={query} />;
  const serving = service?.status.serving;
  return (
    <>
      <PageHeader
        typeLabel="Log"
        name={place.revision}
        actions={
          <>
            {serving && serving !== place.revision && (
              <LinkButton href={paths.revisionLogs({ ...place, revision: serving })}>Log of {serving}, which serves</LinkButton>
            )}
            <LinkButton href={paths.revision(place)}>Revision page</LinkButton>
          </>
        }
      />
      <ServiceBar place={place} service={service} href={paths.revisionLogs(place)} />
      <PageBody padding="flush">
        {revision && (
          <RevisionLogPanel
            key={place.revision}
            isTall
            place={place}
            reason={reasonOf(revision.can, 'readLogs', { team: app?.teamName ?? '' })}
            noRight={noRight}
            isQuiet={revision.replicasWanted === 0 && revision.replicasReady === 0}
          />
        )}
      </PageBody>
    </>
  );
}
