/** The name of an event on a settings page, with what it means. */
import { isTopic, notificationTopics } from '@slipway/contract/notification/notice-types.ts';
import { TwoLines } from '@slipway/ui/text/TwoLines.tsx';

export function TopicCell({ topic }: { topic: string }) {
  const { label, note } = isTopic(topic) ? notificationTopics[topic] : { label: topic, note: '' };
  return <TwoLines below={note}>{label}</TwoLines>;
}
