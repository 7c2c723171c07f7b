/** Formats of a message: plain-text e-mail, signed JSON for webhooks, and what Slack and Microsoft Teams expect. */
import { isNoticeType, noticeText } from '@slipway/contract/notification/notice-types.ts';
import { deliveryTitle, type ChannelKind } from '@slipway/contract/notification/notification.ts';

/** A notice of a delivery, as its row is. */
export interface NoticeRow {
  readonly id: string;
  readonly type: string;
  readonly entity: string;
  readonly context: Readonly<Record<string, string>>;
  readonly path: string;
  readonly count: number;
  readonly at: Date;
}
interface Message {
  readonly deliveryId: string;
  /** The type of its notice, or DAILY, WEEKLY, TEST. */
  readonly event: string;
  readonly notices: readonly NoticeRow[];
  readonly publicUrl: string;
  /** Page where the recipient chooses what is sent. */
  readonly settingsPath: string;
}

const lineOf = ({ type, context, count, path }: NoticeRow, publicUrl: string) => ({
  ...(isNoticeType(type) ? noticeText(type, context, count) : { title: type, detail: '' }),
  url: publicUrl + path,
});
const testLine = (publicUrl: string, settingsPath: string) => ({
  title: 'This is a test from Slipway',
  detail: 'Notifications of your team arrive here.',
  url: publicUrl + settingsPath,
});
const linesOf = ({ event, notices, publicUrl, settingsPath }: Message) =>
  event === 'TEST' ? [testLine(publicUrl, settingsPath)] : notices.map((notice) => lineOf(notice, publicUrl));

export const titleOf = (message: Pick<Message, 'event' | 'notices'>): string => {
  const [first] = message.notices;
  return deliveryTitle(message.event, message.notices.length, first ? lineOf(first, '').title : null);
};

export const mailOf = (message: Message): { readonly subject: string; readonly text: string } => {
  const lines = linesOf(message);
  const text = lines.map(({ title, detail, url }) => [title, detail, url].join('\n')).join('\n\n');
  return {
    subject: `${message.event === 'TEST' ? '[Test] ' : ''}Slipway: ${titleOf(message)}`,
    text: `${text}\n\n-- \nChoose what you receive: ${message.publicUrl}${message.settingsPath}\n`,
  };
};

const escapeSlack = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const slackOf = (message: Message): object => ({
  text: linesOf(message)
    .map(({ title, detail, url }) => `*<${url}|${escapeSlack(title)}>*\n${escapeSlack(detail)}`)
    .join('\n\n'),
});

const escapeMarkdown = (text: string): string => text.replace(/[\\`*_[\]#]/g, '\\$&');
/** An adaptive card, as workflows of Microsoft Teams accept it. */
const teamsOf = (message: Message): object => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.4',
        body: linesOf(message).flatMap(({ title, detail, url }) => [
          { type: 'TextBlock', text: `[${escapeMarkdown(title)}](${url})`, weight: 'bolder', wrap: true },
          { type: 'TextBlock', text: escapeMarkdown(detail), isSubtle: true, spacing: 'none', wrap: true },
        ]),
      },
    },
  ],
});

const webhookOf = (message: Message): object => ({
  id: message.deliveryId,
  event: message.event,
  isTest: message.event === 'TEST',
  notices: message.notices.map((notice) => ({
    id: notice.id,
    type: notice.type,
    entity: notice.entity,
    ...lineOf(notice, message.publicUrl),
    count: notice.count,
    at: notice.at.toISOString(),
  })),
});

const bodies: Readonly<Record<Exclude<ChannelKind, 'EMAIL'>, (message: Message) => object>> = {
  WEBHOOK: webhookOf,
  SLACK: slackOf,
  TEAMS: teamsOf,
};
export const bodyOf = (kind: Exclude<ChannelKind, 'EMAIL'>, message: Message): string => JSON.stringify(bodies[kind](message));
