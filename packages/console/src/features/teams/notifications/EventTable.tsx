/** Which events each channel receives, and how often. Each change is saved at once. */
import {
  channelCadences,
  channelTopics,
  isTopic,
  notificationTopics,
  type ChannelCadence,
} from '@slipway/contract/notification/notice-types.ts';
import { notificationChannelUpdate, type NotificationChannel } from '@slipway/contract/notification/notification.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Segmented } from '@slipway/ui/form/Segmented.tsx';
import { Panel, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { Table, type Column } from '@slipway/ui/list/Table.tsx';
import { refresh } from '#entities/changes/index.ts';
import { TopicCell } from '#entities/notification/TopicCell.tsx';
import { call } from '#kit/api/call.ts';
import { reportError } from '#kit/error/global-error.ts';
import { confirmAction } from '#kit/confirm/confirm-action.ts';

const words: Readonly<Record<ChannelCadence, string>> = { OFF: 'Off', AT_ONCE: 'At once', DAILY: 'Daily' };
const options = channelCadences.map((value) => ({ value, label: words[value] }));
const defaults = Object.fromEntries(channelTopics.map(([topic, { channel }]) => [topic, channel ?? 'OFF'] as const));

export function EventTable({ team, channels }: { team: string; channels: readonly NotificationChannel[] }) {
  const save = async ({ id }: NotificationChannel, cadences: NotificationChannel['cadences']): Promise<void> => {
    await call(notificationChannelUpdate, { params: { team, channel: id }, body: { cadences } });
    await refresh({ kind: 'notificationChannel', team });
  };
  const reset = (): void =>
    confirmAction({
      title: 'Back to the defaults?',
      description: 'Every channel of the team gets the default events again.',
      confirmLabel: 'Use the defaults',
      busyLabel: 'Saving',
      variant: 'primary',
      run: async () => {
        for (const channel of channels) await save(channel, defaults);
      },
    });
  const columns: Column<string>[] = [
    { key: 'topic', header: 'Event', cell: (topic) => <TopicCell topic={topic} /> },
    ...channels.map((channel): Column<string> => ({
      key: channel.id,
      header: channel.name,
      cell: (topic) => (
        <Segmented
          label={`${isTopic(topic) ? notificationTopics[topic].label : topic}, ${channel.name}`}
          options={options}
          value={channel.cadences[topic] ?? 'OFF'}
          isDisabled={channel.can['update'] !== true}
          onChange={(value) => void save(channel, { [topic]: value }).catch(reportError)}
        />
      ),
    })),
  ];
  const groups = [...new Set(channelTopics.map(([, { group }]) => group))].map((group) => ({
    key: group,
    label: group,
    rows: channelTopics.filter(([, topic]) => topic.group === group).map(([topic]) => topic as string),
  }));
  const isDefault = channels.every(({ cadences }) => channelTopics.every(([topic]) => cadences[topic] === defaults[topic]));
  const canReset = !isDefault && channels.every(({ can }) => can['update'] === true);
  return (
    <Panel aria-labelledby="events">
      <PanelHead title="What, and how often" titleId="events" note="Daily is one message at 08:00 UTC, none when nothing happened.">
        {canReset && (
          <Button size="sm" variant="quiet" onClick={reset}>
            Back to the defaults
          </Button>
        )}
      </PanelHead>
      <Table label="Events by channel" phone="flow" density="tall" columns={columns} groups={groups} rowKey={(topic) => topic} />
    </Panel>
  );
}
