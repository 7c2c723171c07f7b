/** Robot accounts: make one, see its secret once, renew or delete it. */
import { robotAccountDelete, type ContainerRegistry, type RobotAccount } from '@slipway/contract/container-registry.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Table, type Column } from '@slipway/ui/list/Table.tsx';
import { Tag } from '@slipway/ui/feedback/Tag.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useState } from 'react';
import { useWrite } from '#kit/api/write.ts';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { reasonOf } from '#kit/error/messages.ts';
import { NewRobotDialog, RobotSecret, type MadeRobot } from './NewRobotDialog.tsx';

interface RobotAccountsProps {
  place: { app: string; env: string };
  registry: ContainerRegistry | undefined;
  onChanged: () => void;
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
      <Button
        size="sm"
        aria-label={`Delete ${robot.username}`}
        {...(reason ? { disabledReason: reason } : {})}
        onClick={() => onDelete(robot)}
      >
        Delete
      </Button>
    ),
  },
];

export function RobotAccounts({ place, registry, onChanged }: RobotAccountsProps) {
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<MadeRobot>();
  const remove = useDeletion(place, onChanged);
  const reason = reasonOf(registry?.can, 'manageRobotAccounts');
  const newButton = (
    <Button size="sm" {...(reason ? { disabledReason: reason } : {})} onClick={() => setMaking(true)}>
      New robot account
    </Button>
  );
  return (
    <Panel aria-labelledby="robots">
      <PanelHead title="Robot accounts" titleId="robots">
        {newButton}
      </PanelHead>
      {made && (
        <PanelBody>
          <RobotSecret robot={made} onClose={() => setMade(undefined)} />
        </PanelBody>
      )}
      <Table
        label="Robot accounts"
        columns={columnsFor(remove, reason)}
        rows={registry?.robotAccounts ?? []}
        rowKey={(robot) => robot.name}
        isLoading={!registry}
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
            onChanged();
          }}
        />
      )}
    </Panel>
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
