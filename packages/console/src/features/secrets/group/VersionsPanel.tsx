/** The versions of a group, newest first: author, keys, and revisions that read each; compare, restore, delete. */
import { secretVersionDelete, secretVersionList, secretVersionRestore, type SecretVersion } from '@slipway/contract/secret/secret-group.ts';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { Loading } from '@slipway/ui/feedback/Loading.tsx';
import { Menu, type MenuItem } from '@slipway/ui/overlay/Menu.tsx';
import { Pagination } from '@slipway/ui/list/Pagination.tsx';
import { Panel, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Skeleton } from '@slipway/ui/feedback/Skeleton.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { count } from '@slipway/ui/format/count.ts';
import { Ellipsis, GitCompare, RotateCcw, Trash2 } from 'lucide-react';
import { refresh } from '#entities/changes/refresh.ts';
import { useQuery } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { disabledUnless } from '#kit/error/messages.ts';
import { useUrlState } from '#kit/state/url-state.ts';
import { confirmAction, type ConfirmedAction } from '#kit/confirm/confirm-action.ts';
import { originLabel } from '#features/secrets/secret-labels.ts';
import type { GroupPlace } from '#features/secrets/use-group.ts';
import css from './VersionsPanel.module.css';

const defaults = { page: 0, with: 0, version: 0 };
const pageSize = 20;

export interface VersionsPanelProps {
  place: GroupPlace;
  team: string;
}

export function VersionsPanel({ place, team }: VersionsPanelProps) {
  const { state, hrefOf } = useUrlState(defaults);
  const list = useQuery(
    secretVersionList,
    { params: { ...place }, query: { page: state.page, size: pageSize } },
    { keepPreviousData: true },
  );
  const versions = list.data?.content ?? [];
  const itemsOf = useVersionItems({ place, team, isAlone: list.data?.totalElements === 1 });
  return (
    <div className="stack stack-12">
      <Panel aria-labelledby="versions">
        <PanelHead title="Versions" titleId="versions" />
        {list.error && !list.data ? (
          <ListError what="versions" query={list} />
        ) : (
          <Loading isLoading={!list.data} label="Loading versions" skeleton={<VersionsSkeleton />}>
            <ol className={css.list}>
              {versions.map((version) => (
                <VersionRow key={version.version} version={version} group={place.group} items={itemsOf(version)} />
              ))}
            </ol>
          </Loading>
        )}
      </Panel>
      <Pagination
        label="versions"
        page={state.page + 1}
        pageCount={list.data?.totalPages ?? 1}
        hrefOf={(page) => hrefOf({ page: page - 1 })}
      />
    </div>
  );
}

/** Menu items for a version. */
const useVersionItems = ({ place, team, isAlone }: VersionsPanelProps & { isAlone: boolean }) => {
  const { set } = useUrlState(defaults);
  const actions = useVersionActions(place);
  return (version: SecretVersion): MenuItem[] => {
    const reason = (verb: string) => disabledUnless(version.can, verb, { team });
    return [
      {
        label: version.isCurrent ? 'Compare with the one before' : 'Compare with the newest',
        icon: <GitCompare aria-hidden="true" />,
        onSelect: () =>
          set(
            version.isCurrent
              ? { with: Math.max(1, version.version - 1), version: version.version }
              : { with: version.version, version: 0 },
          ),
        ...(isAlone ? { disabledReason: 'There is no other version' } : {}),
      },
      {
        label: 'Restore as a new version',
        icon: <RotateCcw aria-hidden="true" />,
        onSelect: () => confirmAction(actions.restore(version)),
        ...reason('restore'),
      },
      'line',
      {
        label: 'Delete version',
        icon: <Trash2 aria-hidden="true" />,
        isDanger: true,
        onSelect: () => confirmAction(actions.remove(version)),
        ...reason('delete'),
      },
    ];
  };
};

const useVersionActions = (place: GroupPlace) => {
  const remove = useWrite(secretVersionDelete);
  const restore = useWrite(secretVersionRestore);
  const refreshSecrets = () => refresh({ kind: 'secretGroup', app: place.app });
  const params = ({ version }: SecretVersion) => ({ ...place, version: String(version) });
  return {
    remove: (version: SecretVersion): ConfirmedAction => ({
      title: `Delete version ${version.version}?`,
      description: 'Its values are gone for good; it can be neither restored nor compared any more.',
      confirmLabel: `Delete version ${version.version}`,
      busyLabel: 'Deleting',
      run: async () => {
        await remove.send({ params: params(version) });
        toast.success(`Version ${version.version} of ${place.group} is deleted`);
        await refreshSecrets();
      },
    }),
    restore: (version: SecretVersion): ConfirmedAction => ({
      title: `Restore version ${version.version}?`,
      description: `Its ${count(version.keys.length, 'key')} become a new version, the newest. Services read it with their next revision; no version is lost.`,
      confirmLabel: `Restore version ${version.version}`,
      busyLabel: 'Restoring',
      variant: 'primary',
      run: async () => {
        const group = await restore.send({ params: params(version) });
        toast.success(`Version ${version.version} is restored as version ${group.version}`);
        await refreshSecrets();
      },
    }),
  };
};

function VersionRow({ version, group, items }: { version: SecretVersion; group: string; items: MenuItem[] }) {
  const readers = version.revisions.length;
  return (
    <li className={css.row} data-current={version.isCurrent}>
      <span className={css.number}>
        <span className="sr">Version </span>
        {version.version}
      </span>
      <div>
        <div className="dense strong">{originLabel(version, group)}</div>
        <div className="meta">
          {version.createdBy.displayName}, <RelativeTime at={version.createdAt} isShort />
        </div>
      </div>
      {version.isCurrent ? (
        <Status tone="ok" isTinted>
          Newest
        </Status>
      ) : (
        <span className="meta num" title={version.revisions.join(', ')}>
          {readers === 0 ? 'Unread' : count(readers, 'revision')}
        </span>
      )}
      <Menu
        trigger={
          <IconButton size="sm" variant="quiet" label={`Actions for version ${version.version}`} icon={<Ellipsis aria-hidden="true" />} />
        }
        items={items}
      />
    </li>
  );
}

function VersionsSkeleton() {
  return (
    <div className={css.skeleton}>
      {[0, 1, 2].map((index) => (
        <Skeleton key={index} height={36} />
      ))}
    </div>
  );
}
