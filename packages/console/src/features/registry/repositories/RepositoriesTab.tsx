/** The repositories of an app's registry with the tags of one, below metrics for storage, security and retention. */
import { imageRepositoryList, type ImageRepository } from '@slipway/contract/registry/images.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Panel } from '@slipway/ui/layout/Panel.tsx';
import { SectionNav } from '@slipway/ui/layout/SectionNav.tsx';
import { Terminal } from 'lucide-react';
import { useState } from 'react';
import { useParams } from 'react-router';
import { paths } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import { RegistryAction } from '#features/registry/RegistryAction.tsx';
import { useRegistry, type ShownRegistry } from '#features/registry/use-registry.ts';
import { PushCommands, PushDialog } from './PushCommands.tsx';
import css from './RepositoriesTab.module.css';
import { RegistryCurrentMetrics } from './RegistryCurrentMetrics.tsx';
import { RetentionPanel, StoragePanel } from './StoragePanels.tsx';
import { TagList } from './TagList.tsx';

const most = 100;

export function Component() {
  const shown = useRegistry();
  return shown.registry ? <Repositories key={shown.place.app} {...shown} registry={shown.registry} /> : null;
}

type Shown = ShownRegistry & { registry: NonNullable<ShownRegistry['registry']> };

function Repositories({ place, registry, team }: Shown) {
  const { repository: named } = useParams();
  const list = useQuery(imageRepositoryList, { params: { ...place }, query: { size: most, sort: 'name' } });
  const [isPushing, setPushing] = useState(false);
  usePageTitle([named ?? 'Container registry', place.app, place.env]);
  const repositories = list.data?.content;
  const chosen = named ?? repositories?.[0]?.name;
  const isEmpty = repositories?.length === 0 && named === undefined;
  return (
    <>
      <RegistryAction>
        {!isEmpty && (
          <Button icon={<Terminal aria-hidden="true" />} onClick={() => setPushing(true)}>
            Push an image
          </Button>
        )}
      </RegistryAction>
      {list.error && !list.data && (
        <Panel aria-label="Repositories">
          <ListError what="repositories" query={list} />
        </Panel>
      )}
      {isEmpty && <FirstImage place={place} />}
      {repositories && !isEmpty && (
        <>
          <RegistryCurrentMetrics place={place} registry={registry} />
          <div className={css.split}>
            <RepositoryNav place={place} repositories={repositories} chosen={chosen} />
            <div className="stack">
              {chosen !== undefined && (
                <TagList
                  key={chosen}
                  place={place}
                  repository={chosen}
                  known={repositories.find(({ name }) => name === chosen)}
                  team={team}
                />
              )}
              <div className={css.panels}>
                <RetentionPanel place={place} registry={registry} />
                <StoragePanel place={place} registry={registry} />
              </div>
            </div>
          </div>
        </>
      )}
      {isPushing && <PushDialog place={place} repository={chosen} onClose={() => setPushing(false)} />}
    </>
  );
}

function RepositoryNav({
  place,
  repositories,
  chosen,
}: Pick<Shown, 'place'> & { repositories: ImageRepository[]; chosen: string | undefined }) {
  return (
    <SectionNav
      label="Repositories"
      items={repositories.map(({ name, tagCount }) => ({
        label: name,
        href: paths.repository({ ...place, repository: name }),
        isCurrent: name === chosen,
        count: tagCount,
      }))}
    />
  );
}

function FirstImage({ place }: Pick<Shown, 'place'>) {
  return (
    <Panel aria-label="Repositories">
      <div className={css.first}>
        <EmptyState kind="first-use" level={2} title="No images yet">
          Push one under the project of {place.app}. A quickstart and each push to a repository of code make one, too.
        </EmptyState>
        <PushCommands place={place} />
      </div>
    </Panel>
  );
}
