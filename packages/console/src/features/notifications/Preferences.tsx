/** Which notifications reach the user, in the tray and by e-mail. Each change is saved at once. */
import { channelTopics, cadences, isTopic, notificationTopics, topics, type Cadence } from '@slipway/contract/notification/notice-types.ts';
import { noticePreferenceUpdate, noticePreferenceView, type Preference } from '@slipway/contract/notification/notification.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Segmented } from '@slipway/ui/form/Segmented.tsx';
import { Switch } from '@slipway/ui/form/Switch.tsx';
import { Panel, PanelFoot, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { VisuallyHidden } from '@slipway/ui/layout/VisuallyHidden.tsx';
import { Table, type Column } from '@slipway/ui/list/Table.tsx';
import { useQuery } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { reportError } from '#kit/error/global-error.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { TopicCell } from '#entities/notification/TopicCell.tsx';

const words: Readonly<Record<Cadence, string>> = { OFF: 'Off', AT_ONCE: 'At once', DAILY: 'Daily', WEEKLY: 'Weekly' };
const labelOf = ({ topic }: Preference): string => (isTopic(topic) ? notificationTopics[topic].label : topic);

export function Preferences() {
  const query = useQuery(noticePreferenceView, {});
  const update = useWrite(noticePreferenceUpdate);
  const { data } = query;
  const save = async (row: Preference): Promise<void> => {
    const shown = data && { ...data, topics: data.topics.map((one) => (one.topic === row.topic ? row : one)) };
    try {
      await query.mutate(shown, { revalidate: false });
      await query.mutate(await update.send({ body: { topics: [row] } }), { revalidate: false });
    } catch (error) {
      reportError(error);
      await query.mutate();
    }
  };
  if (query.error && !data)
    return (
      <Panel aria-label="Notification settings">
        <ListError what="settings" query={query} />
      </Panel>
    );
  const columns: Column<Preference>[] = [
    { key: 'topic', header: 'Event', cell: ({ topic }) => <TopicCell topic={topic} /> },
    {
      key: 'tray',
      header: 'Here',
      cell: (row) => (
        <Switch
          label={<VisuallyHidden>{`${labelOf(row)}, here`}</VisuallyHidden>}
          checked={row.tray}
          onChange={(event) => void save({ ...row, tray: event.target.checked })}
        />
      ),
    },
    {
      key: 'email',
      header: 'E-mail',
      cell: (row) => (
        <Segmented
          label={`${labelOf(row)}, e-mail`}
          options={cadences.map((value) => ({ value, label: words[value] }))}
          value={row.email}
          isDisabled={data?.email === null}
          onChange={(email) => void save({ ...row, email })}
        />
      ),
    },
  ];
  const groups = [...new Set(topics.map(([, { group }]) => group))].map((group) => ({
    key: group,
    label: group,
    rows: (data?.topics ?? []).filter(({ topic }) => isTopic(topic) && notificationTopics[topic].group === group),
  }));
  return (
    <>
      {data?.email === null && <Notice tone="idle">You have no e-mail address here, so nothing is mailed to you.</Notice>}
      <Panel aria-labelledby="preferences">
        <PanelHead title="What, and how often" titleId="preferences" note={data?.email ? `E-mail goes to ${data.email}` : undefined} />
        <Table
          label="Your notifications"
          phone="flow"
          density="tall"
          columns={columns}
          {...(data ? { groups } : { rows: [] })}
          rowKey={({ topic }) => topic}
          isLoading={!data}
          loadingRows={channelTopics.length}
        />
        <PanelFoot>
          <span className="meta">Daily is one message at 08:00 UTC, weekly one on Monday. None when nothing happened.</span>
        </PanelFoot>
      </Panel>
    </>
  );
}
