/** The channels of a team: address, whether each works, a test, and the actions of owners. */
import {
  notificationChannelDelete,
  notificationChannelTest,
  notificationFailureText,
  type NotificationChannel,
} from '@slipway/contract/notification/notification.ts';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { StatusIcon } from '@slipway/ui/feedback/StatusIcon.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { PanelFoot } from '@slipway/ui/layout/Panel.tsx';
import { Table, type Column } from '@slipway/ui/list/Table.tsx';
import { Menu } from '@slipway/ui/overlay/Menu.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Ellipsis, Mail, MessageSquare, Pencil, Trash2, Webhook } from 'lucide-react';
import { refresh } from '#entities/changes/index.ts';
import { useWrite } from '#kit/api/write.ts';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { reporting } from '#kit/error/global-error.ts';
import { disabledUnless } from '#kit/error/messages.ts';
import { rowActions } from '#kit/list/columns.tsx';
import { channelLook, failingText } from './channel-labels.ts';

const icons = { EMAIL: Mail, WEBHOOK: Webhook, SLACK: MessageSquare, TEAMS: MessageSquare } as const;

export interface ChannelTableProps {
  team: string;
  channels: NotificationChannel[] | undefined;
  onEdit: (channel: NotificationChannel) => void;
}

export function ChannelTable({ team, channels, onEdit }: ChannelTableProps) {
  const columns: Column<NotificationChannel>[] = [
    {
      key: 'name',
      header: 'Channel',
      cell: ({ kind, name }) => {
        const Icon = icons[kind];
        return (
          <span className="row">
            <Icon aria-hidden="true" size={16} />
            <strong>{name}</strong>
          </span>
        );
      },
    },
    { key: 'address', header: 'Address', cell: ({ address }) => <span className="quiet">{address}</span> },
    { key: 'works', header: 'Works', cell: (channel) => <Works channel={channel} /> },
    {
      ...rowActions,
      cell: (channel) => <ChannelActions team={team} channel={channel} onEdit={() => onEdit(channel)} />,
    },
  ];
  const failing = (channels ?? []).flatMap((channel) => {
    const text = failingText(channel);
    return text ? [{ channel, text }] : [];
  });
  return (
    <>
      <Table
        label="Notification channels"
        phone="flow"
        columns={columns}
        rows={channels ?? []}
        rowKey={({ id }) => id}
        isLoading={!channels}
        loadingRows={2}
      />
      {failing.map(({ channel, text }) => (
        <PanelFoot key={channel.id}>
          <StatusIcon tone="bad" />
          <span>
            <strong>{text.what}</strong> {text.waits}
          </span>
          {channel.can['update'] === true && (
            <Button size="sm" variant="quiet" className="push" onClick={() => onEdit(channel)}>
              New address
            </Button>
          )}
        </PanelFoot>
      ))}
    </>
  );
}

function Works({ channel }: { channel: NotificationChannel }) {
  const { tone, word } = channelLook(channel);
  return (
    <Status tone={tone}>
      {word}
      {tone === 'ok' && channel.lastDelivery && (
        <>
          {' '}
          <RelativeTime at={channel.lastDelivery.at} isShort />
        </>
      )}
    </Status>
  );
}

function ChannelActions({ team, channel, onEdit }: { team: string; channel: NotificationChannel; onEdit: () => void }) {
  const { id, name, can } = channel;
  const test = useWrite(notificationChannelTest);
  const remove = useWrite(notificationChannelDelete);
  const params = { team, channel: id };
  const changed = (): Promise<unknown> => refresh({ kind: 'notificationChannel', team });
  const send = reporting(async () => {
    const { failure, status } = await test.send({ params });
    if (failure === null) toast.success(`The test reached ${name}`);
    else toast.failure(`${name}: ${notificationFailureText(failure, status)}`);
    await changed();
  });
  const askRemove = (): void =>
    confirmAction({
      title: `Delete ${name}?`,
      description: 'Nothing more is sent there. Its delivery log is deleted, too.',
      confirmLabel: 'Delete channel',
      busyLabel: 'Deleting',
      run: async () => {
        await remove.send({ params });
        await changed();
      },
    });
  return (
    <span className="row">
      <Button
        size="sm"
        isBusy={test.isBusy}
        busyLabel="Sending"
        aria-label={`Send a test to ${name}`}
        onClick={() => void send()}
        {...disabledUnless(can, 'test')}
      >
        Send a test
      </Button>
      <Menu
        trigger={<IconButton size="sm" variant="quiet" label={`More actions for ${name}`} icon={<Ellipsis aria-hidden="true" />} />}
        items={[
          { label: 'Edit', icon: <Pencil aria-hidden="true" />, onSelect: onEdit, ...disabledUnless(can, 'update') },
          {
            label: 'Delete channel',
            icon: <Trash2 aria-hidden="true" />,
            isDanger: true,
            onSelect: askRemove,
            ...disabledUnless(can, 'delete'),
          },
        ]}
      />
    </span>
  );
}
