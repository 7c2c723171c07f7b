/** The tags of one repository, running ones first, each with scan, size, digest and author. */
import { imageRepositoryDelete, imageTagList, type ImageRepository, type ImageTag } from '@slipway/contract/registry/images.ts';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { Select } from '@slipway/ui/form/Select.tsx';
import type { RowGroup } from '@slipway/ui/list/Table.tsx';
import { Menu } from '@slipway/ui/overlay/Menu.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { count } from '@slipway/ui/format/count.ts';
import { Ellipsis, Trash2 } from 'lucide-react';
import { useNavigate } from 'react-router';
import { refresh } from '#entities/changes/refresh.ts';
import { paths } from '#entities/paths.ts';
import { isStatus } from '#kit/api/errors.ts';
import { useQuery } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { disabledUnless } from '#kit/error/messages.ts';
import { listDefaults, useListControl } from '#kit/list/list-control.ts';
import { ResourceList } from '#kit/list/ResourceList.tsx';
import type { RegistryPlace } from '#features/registry/use-registry.ts';
import { MissingRepository } from './MissingRepository.tsx';
import { tagColumns } from './tag-columns.tsx';
import { useTagActions } from './use-tag-actions.ts';
import css from './TagList.module.css';

const defaults = { ...listDefaults, runs: '' };
const pageSize = 20;
const orders = [
  { value: '-pushedAt', label: 'Newest first' },
  { value: 'pushedAt', label: 'Oldest first' },
  { value: 'tag', label: 'By name' },
  { value: '-sizeBytes', label: 'Largest first' },
];
const runFilters = [
  { value: 'ALL', label: 'All tags' },
  { value: 'true', label: 'That run' },
  { value: 'false', label: 'That do not run' },
];

export interface TagListProps {
  place: RegistryPlace;
  repository: string;
  /** The repository from the loaded list, if it is there. */
  known: ImageRepository | undefined;
  team: string;
}

const groupsOf = (tags: readonly ImageTag[]): RowGroup<ImageTag>[] => {
  const runs = ({ runs: all }: ImageTag): boolean => all.some(({ isLive }) => isLive);
  return [
    { key: 'runs', label: 'Runs now', rows: tags.filter(runs), isWhole: false },
    { key: 'rests', label: 'Does not run', rows: tags.filter((tag) => !runs(tag)), isWhole: false },
  ];
};

export function TagList({ place, repository, known, team }: TagListProps) {
  const control = useListControl(defaults, pageSize);
  const { runs } = control.state;
  const isRunning = runs === 'true' || runs === 'false' ? runs : undefined;
  const list = useQuery(
    imageTagList,
    { params: { ...place, repository }, query: { ...control.filter, ...(isRunning ? { isRunning } : {}) } },
    { keepPreviousData: true },
  );
  const actions = useTagActions(place, repository);
  if (isStatus(list.error, 404)) return <MissingRepository place={place} repository={repository} />;
  const isNewestFirst = control.state.sort === '';
  return (
    <ResourceList
      label={`Tags of ${repository}`}
      noun="tag"
      plural="tags"
      list={list}
      control={control}
      columns={tagColumns({ place, repository, actions, team })}
      rowKey={({ tag }) => tag}
      {...(isNewestFirst && list.data ? { groups: groupsOf(list.data.content) } : {})}
      density="tall"
      phone="flow"
      searchLabel={`Filter ${known ? count(known.tagCount, 'tag') : 'tags'}, or sha256:…`}
      tools={
        <>
          <Select
            className={css.tool}
            aria-label="Show"
            options={runFilters}
            value={isRunning ?? 'ALL'}
            onChange={(value) => control.set({ runs: value === 'ALL' ? '' : value })}
          />
          <Select
            className={css.tool}
            aria-label="Order"
            options={orders}
            value={control.state.sort || '-pushedAt'}
            onChange={(sort) => control.set({ sort: sort === '-pushedAt' ? '' : sort })}
          />
          {known && <RepositoryMenu place={place} repository={known} team={team} />}
        </>
      }
      firstUse={{
        title: `There are no tags in ${repository}`,
        text: 'Its images have no names any more. They go with the next garbage collection.',
      }}
    />
  );
}

function RepositoryMenu({ place, repository, team }: { place: RegistryPlace; repository: ImageRepository; team: string }) {
  const remove = useWrite(imageRepositoryDelete);
  const navigate = useNavigate();
  const { name, tagCount, can } = repository;
  const ask = (): void =>
    confirmAction({
      title: `Delete ${name}?`,
      description: 'This cannot be undone.',
      consequences: [`${count(tagCount, 'tag')} and the images that only they name are gone for good`],
      confirmLabel: `Delete ${name}`,
      busyLabel: 'Deleting',
      confirmWord: name,
      run: async () => {
        await remove.send({ params: { ...place, repository: name } });
        toast.success(`${name} is deleted`);
        await navigate(paths.containerRegistry(place, 'repositories'));
        await refresh({ kind: 'containerRegistry', app: place.app });
      },
    });
  return (
    <Menu
      trigger={<IconButton label={`More actions for ${name}`} icon={<Ellipsis aria-hidden="true" />} />}
      items={[
        {
          label: 'Delete repository',
          icon: <Trash2 aria-hidden="true" />,
          isDanger: true,
          onSelect: ask,
          ...disabledUnless(can, 'delete', { team, revision: '' }),
        },
      ]}
    />
  );
}
