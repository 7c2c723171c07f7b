/** Robot accounts: make one, see its secret once, renew or delete it. */
import { robotAccountDelete, type containerRegistryView, type RobotAccount } from '@slipway/contract/container-registry.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import type { Column } from '@slipway/ui/list/Table.tsx';
import { Tag } from '@slipway/ui/feedback/Tag.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useState } from 'react';
import type { QueryResult } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { ListPanel } from '#kit/list/ListPanel.tsx';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { reasonOf } from '#kit/error/messages.ts';
import { NewRobotDialog, RobotSecret, type MadeRobot } from './NewRobotDialog.tsx';

interface RobotAccountsProps {
  place: { app: string; env: string };
  query: QueryResult<typeof containerRegistryView>;
}

const columnsFor = (onDelete: (robot: RobotAccount) => void, reason: string | undefined): Column<RobotAccount>[] => [
  { key: 'name', header: 'User name', phone: 'title', cell: (robot) => <code>{robot.username}</code> },
  {
    key: 'permissions',
    header: 'May',
    phone: 'meta',
    cell: (robot) => (
      <span className="row row-wrap">
        {robot.permissions.map((item) => (
          <Tag key={item}>{item}</Tag>
        ))}
      </span>
    ),
  },
  { key: 'updated', header: 'Secret made', cell: (robot) => <RelativeTime at={robot.updatedAt} isShort /> },
  {
    key: 'delete',
    header: 'Actions',
    isHeaderHidden: true,
    align: 'end',
    phone: 'status',
    cell: (robot) => (
      <Button size="sm" aria-label={`Delete ${robot.username}`} disabledReason={reason} onClick={() => onDelete(robot)}>
        Delete
      </Button>
    ),
  },
];

export function RobotAccounts({ place, query }: RobotAccountsProps) {
  const { data: registry } = query;
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<MadeRobot>();
  const remove = useDeletion(place, () => void query.mutate());
  const reason = reasonOf(registry?.can, 'manageRobotAccounts');
  return (
    <>
      {made && <RobotSecret robot={made} onClose={() => setMade(undefined)} />}
      <ListPanel
        label="Robot accounts"
        plural="robot accounts"
        list={query}
        head={{
          title: 'Robot accounts',
          children: (
            <Button size="sm" disabledReason={reason} onClick={() => setMaking(true)}>
              New robot account
            </Button>
          ),
        }}
        columns={columnsFor(remove, reason)}
        rows={registry?.robotAccounts ?? []}
        rowKey={(robot) => robot.name}
        empty={
          <EmptyState level={3} kind="first-use" title="No robot accounts configured">
            CI, docker and skopeo log in with one. It reaches this app's project alone.
          </EmptyState>
        }
      />
      {isMaking && registry && (
        <NewRobotDialog
          place={place}
          known={registry.robotAccounts}
          onClose={() => setMaking(false)}
          onMade={(robot) => {
            setMade(robot);
            void query.mutate();
          }}
        />
      )}
    </>
  );
}

const useDeletion = (place: RobotAccountsProps['place'], onDone: () => void) => {
  const remove = useWrite(robotAccountDelete);
  return (robot: RobotAccount): void =>
    confirmAction({
      title: `Delete ${robot.username}?`,
      description: 'Whatever logs in with it is refused from then on, within five minutes at the latest. Images stay.',
      confirmLabel: 'Delete robot account',
      busyLabel: 'Deleting',
      run: async () => {
        await remove.send({ params: { ...place, robot: robot.name } });
        toast.success(`${robot.username} is deleted`);
        onDone();
      },
    });
};
