/** Columns of the tag table. */
import type { ImageTag } from '@slipway/contract/registry/images.ts';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { cellMain, type Column } from '@slipway/ui/list/Table.tsx';
import { Menu } from '@slipway/ui/overlay/Menu.tsx';
import { bytes } from '@slipway/ui/format/bytes.ts';
import { classNames } from '@slipway/ui/class-names.ts';
import { Copy } from '@slipway/ui/text/Copy.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { TwoLines } from '@slipway/ui/text/TwoLines.tsx';
import { Ellipsis, ScanSearch, Trash2 } from 'lucide-react';
import { paths } from '#entities/paths.ts';
import { Digest } from '#features/registry/Digest.tsx';
import { RunsIn } from '#features/registry/RunsIn.tsx';
import { ScanStatus } from '#features/registry/ScanStatus.tsx';
import type { RegistryPlace } from '#features/registry/use-registry.ts';
import { pusherName } from '#features/registry/pusher-name.ts';
import { rowActions } from '#kit/list/columns.tsx';
import { deleteReason } from './tag-reasons.ts';
import type { TagActions } from './use-tag-actions.ts';
import css from './TagList.module.css';

interface ColumnOptions {
  place: RegistryPlace;
  repository: string;
  actions: TagActions;
  team: string;
}

const isLive = ({ runs }: ImageTag): boolean => runs.some((run) => run.isLive);

export const tagColumns = ({ place, repository, actions, team }: ColumnOptions): Column<ImageTag>[] => [
  {
    key: 'tag',
    header: 'Tag',
    cell: (row) => (
      <TwoLines below={row.isSigned ? 'Signed' : undefined}>
        <span className={css.tag}>
          <Link
            className={classNames(cellMain, 'mono', !isLive(row) && css.resting)}
            href={paths.image({ ...place, repository, tag: row.tag })}
            title={row.tag}
          >
            {row.tag}
          </Link>
          <Copy text={row.tag} what={`tag ${row.tag}`} />
        </span>
      </TwoLines>
    ),
  },
  { key: 'runs', header: 'Runs in', cell: ({ runs }) => <RunsIn app={place.app} runs={runs} /> },
  {
    key: 'scan',
    header: 'Scan',
    cell: ({ scan }) => (
      <span className={css.scan}>
        <ScanStatus scan={scan} />
      </span>
    ),
  },
  { key: 'size', header: 'Size', align: 'end', cell: ({ sizeBytes }) => <span className={css.size}>{bytes(sizeBytes)}</span> },
  {
    key: 'pushed',
    header: 'Pushed',
    cell: ({ pushedAt, pushedBy, isExpiring }) => (
      <TwoLines below={isExpiring ? <span className="tone-warn">to be deleted</span> : pusherName(pushedBy, place.app)}>
        <RelativeTime at={pushedAt} isShort />
      </TwoLines>
    ),
  },
  { key: 'digest', header: 'Digest', isRoomy: true, cell: ({ digest }) => <Digest digest={digest} /> },
  {
    ...rowActions,
    phone: 'action',
    cell: (row) => (
      <Menu
        trigger={<IconButton size="sm" variant="quiet" label={`More actions for ${row.tag}`} icon={<Ellipsis aria-hidden="true" />} />}
        items={[
          { label: 'Scan again', icon: <ScanSearch aria-hidden="true" />, onSelect: () => void actions.scan(row.tag) },
          'line',
          {
            label: 'Delete tag',
            icon: <Trash2 aria-hidden="true" />,
            isDanger: true,
            onSelect: () => actions.remove(row),
            disabledReason: deleteReason(row, team),
          },
        ]}
      />
    ),
  },
];
