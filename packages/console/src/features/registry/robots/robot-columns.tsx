/** Columns of the robot accounts: name, permissions, expiry, last use, and actions. */
import type { RobotAccount } from '@slipway/contract/registry/robot-account.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import type { Column } from '@slipway/ui/list/Table.tsx';
import { Menu, type MenuItem } from '@slipway/ui/overlay/Menu.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { TwoLines } from '@slipway/ui/text/TwoLines.tsx';
import { Ban, Ellipsis, Pencil, RotateCw, ShieldOff, Trash2 } from 'lucide-react';
import { disabledUnless } from '#kit/error/messages.ts';
import { rowActions } from '#kit/list/columns.tsx';
import css from './robot-columns.module.css';
import { abilitiesOf, expiryLook, robotAbilities, type RobotAbility } from './robot-labels.ts';

export interface RobotActions {
  edit: (robot: RobotAccount) => void;
  rotate: (robot: RobotAccount) => void;
  enable: (robot: RobotAccount) => void;
  disable: (robot: RobotAccount) => void;
  remove: (robot: RobotAccount) => void;
  endSecret: (name: string) => void;
}

function Dot({ isGiven }: { isGiven: boolean }) {
  return (
    <span className={isGiven ? css.has : css.hasNot}>
      <span className="sr">{isGiven ? 'Yes' : 'No'}</span>
    </span>
  );
}

const abilityColumn = (ability: RobotAbility): Column<RobotAccount> => ({
  key: ability,
  header: ability,
  width: 64,
  cell: ({ permissions }) => <Dot isGiven={abilitiesOf(permissions).has(ability)} />,
});

function Expires({ robot, now }: { robot: RobotAccount; now: Date }) {
  const { tone, word, below } = expiryLook(robot, now);
  return (
    <TwoLines below={below} isUnderStatus={tone !== undefined}>
      {tone === undefined ? word : <Status tone={tone}>{word}</Status>}
    </TwoLines>
  );
}

function LastUsed({ robot: { lastUsed, previousSecret } }: { robot: RobotAccount }) {
  const old = previousSecret && (
    <>
      old secret ends <RelativeTime at={previousSecret.endsAt} isShort />
    </>
  );
  if (!lastUsed) return <TwoLines below={old ?? ''}>Never</TwoLines>;
  return (
    <TwoLines below={old ?? [lastUsed.address, lastUsed.client].filter(Boolean).join(' · ')}>
      <RelativeTime at={lastUsed.at} isShort />
    </TwoLines>
  );
}

const menuItems = (robot: RobotAccount, actions: RobotActions, team: string): MenuItem[] => {
  const may = (verb: string) => disabledUnless(robot.can, verb, { team });
  const icon = (Icon: typeof Pencil) => <Icon aria-hidden="true" />;
  return [
    { label: 'Edit', icon: icon(Pencil), onSelect: () => actions.edit(robot), ...may('update') },
    { label: 'Rotate the secret', icon: icon(RotateCw), onSelect: () => actions.rotate(robot), ...may('rotate') },
    ...(robot.previousSecret
      ? [{ label: 'End the old secret', icon: icon(Ban), onSelect: () => actions.endSecret(robot.name), ...may('rotate') }]
      : []),
    ...(robot.state === 'DISABLED'
      ? []
      : [{ label: 'Disable', icon: icon(ShieldOff), onSelect: () => actions.disable(robot), ...may('activate') }]),
    'line',
    { label: 'Delete robot account', icon: icon(Trash2), isDanger: true, onSelect: () => actions.remove(robot), ...may('delete') },
  ];
};

function RowActions({ robot, actions, team }: { robot: RobotAccount; actions: RobotActions; team: string }) {
  if (robot.managedBy === 'PLATFORM') return <span className="meta">Read-only</span>;
  const isEnding = robot.state === 'EXPIRED' || robot.state === 'EXPIRING';
  const may = (verb: string) => disabledUnless(robot.can, verb, { team });
  return (
    <span className={css.actions}>
      {robot.state === 'DISABLED' ? (
        <Button size="sm" variant="quiet" aria-label={`Enable ${robot.name}`} onClick={() => actions.enable(robot)} {...may('activate')}>
          Enable
        </Button>
      ) : (
        <Button
          size="sm"
          variant={isEnding ? 'default' : 'quiet'}
          aria-label={`${isEnding ? 'Rotate and extend' : 'Rotate'} ${robot.name}`}
          onClick={() => actions.rotate(robot)}
          {...may('rotate')}
        >
          {isEnding ? 'Rotate and extend' : 'Rotate'}
        </Button>
      )}
      <Menu
        trigger={<IconButton size="sm" variant="quiet" label={`More actions for ${robot.name}`} icon={<Ellipsis aria-hidden="true" />} />}
        items={menuItems(robot, actions, team)}
      />
    </span>
  );
}

export const robotColumns = (actions: RobotActions, now: Date, team: string): Column<RobotAccount>[] => [
  {
    key: 'name',
    header: 'Robot account',
    cell: ({ name, username, description }) => (
      <TwoLines below={description || username}>
        <span className="strong" title={username}>
          {name}
        </span>
      </TwoLines>
    ),
  },
  ...robotAbilities.map(abilityColumn),
  { key: 'expires', header: 'Expires', cell: (robot) => <Expires robot={robot} now={now} /> },
  { key: 'used', header: 'Last used', cell: (robot) => <LastUsed robot={robot} /> },
  {
    ...rowActions,
    phone: 'extra',
    cell: (robot) => <RowActions robot={robot} actions={actions} team={team} />,
  },
];
