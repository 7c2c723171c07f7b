/** Writers and readers of a topic, joined from grants and from reader groups on the cluster. Those that need a look come first. */
import type { Topic } from '@slipway/contract/streaming/topic.ts';
import type { TopicUser } from '@slipway/contract/streaming/grant.ts';
import type { TopicReader, TopicStatus } from '@slipway/contract/streaming/topic-status.ts';
import type { StatusLook } from '#entities/status.ts';
import { behindOf, readerLook, retentionMs, type Behind } from '#features/streaming/streaming-labels.ts';

export interface WriterRow {
  readonly key: string;
  readonly app: string;
  readonly account: string;
  readonly team: string;
}
export interface ReaderRow {
  readonly key: string;
  /** Name of the app, or of the group if its app is unknown. */
  readonly name: string;
  readonly note: string;
  readonly app: string | null;
  readonly account: string | null;
  readonly look: StatusLook;
  /** Undefined if access was granted but never used for reading. */
  readonly group: string | undefined;
  /** Null if there are clients but the cluster does not report how many. */
  readonly members: number | null;
  readonly lagMessages: number;
  readonly behind: Behind | undefined;
}

const order: readonly StatusLook['tone'][] = ['bad', 'warn', 'ok', 'idle', 'off', 'run'];
const byNeed = (a: ReaderRow, b: ReaderRow): number =>
  order.indexOf(a.look.tone) - order.indexOf(b.look.tone) || a.name.localeCompare(b.name);

const isOf = (reader: TopicReader, user: TopicUser): boolean =>
  reader.applicationCode === user.applicationCode && reader.account === user.account;

export const writerRows = (users: readonly TopicUser[]): WriterRow[] =>
  users
    .filter(({ operation }) => operation === 'WRITE')
    .map(({ accountId, applicationCode, account, teamName }) => ({ key: accountId, app: applicationCode, account, team: teamName }));

export const readerRows = (topic: Topic, status: Pick<TopicStatus, 'readers'> | undefined, users: readonly TopicUser[]): ReaderRow[] => {
  const kept = retentionMs(topic.spec);
  const granted = users.filter(({ operation }) => operation === 'READ');
  const groups = (status?.readers ?? []).map((reader): ReaderRow => {
    const user = granted.find((one) => isOf(reader, one));
    const { group, applicationCode, account, members, lagMessages, lagMs } = reader;
    return {
      key: group,
      name: applicationCode ?? group,
      note: applicationCode === null ? 'not an account of Slipway' : [account, user?.teamName].filter(Boolean).join(', '),
      app: applicationCode,
      account,
      look: readerLook(reader, kept),
      group,
      members,
      lagMessages,
      behind: behindOf(lagMs, lagMessages, kept),
    };
  });
  const silent = granted
    .filter((user) => !(status?.readers ?? []).some((reader) => isOf(reader, user)))
    .map(({ accountId, applicationCode, account, teamName }): ReaderRow => ({
      key: accountId,
      name: applicationCode,
      note: `${account}, ${teamName}`,
      app: applicationCode,
      account,
      look: { tone: 'off', word: 'Never connected' },
      group: undefined,
      members: 0,
      lagMessages: 0,
      behind: undefined,
    }));
  return [...groups, ...silent].toSorted(byNeed);
};

/** Line width for a rate: 1 to 8 pixels on a log scale. Undefined without traffic. */
export const flowWidth = (perSecond: number | null): number | undefined =>
  perSecond === null || perSecond <= 0 ? undefined : Math.min(8, Math.max(1, Math.round(1 + 3.6 * Math.log10(1 + perSecond))));
