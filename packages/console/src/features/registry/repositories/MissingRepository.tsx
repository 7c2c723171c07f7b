/** Shown if the project does not have the repository in the URL. */
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Panel } from '@slipway/ui/layout/Panel.tsx';
import { paths, type RepositoryRef } from '#entities/paths.ts';

export function MissingRepository({ place, repository }: { place: Omit<RepositoryRef, 'repository'>; repository: string }) {
  return (
    <Panel aria-label={repository}>
      <EmptyState
        kind="no-match"
        level={2}
        title={`There is no repository ${repository} in ${place.app}`}
        actions={<LinkButton href={paths.containerRegistry(place, 'repositories')}>Repositories of {place.app}</LinkButton>}
      >
        It may have been deleted with its last tag, or the address has a typing mistake.
      </EmptyState>
    </Panel>
  );
}
