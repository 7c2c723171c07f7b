/** Routes of notifications: the caller's tray and preferences, a team's channels and log, the mail outbox. */
import { needList } from '@slipway/contract/notification/need.ts';
import { noticeList, noticeReadAll, noticeUpdate } from '@slipway/contract/notification/notice.ts';
import {
  mailOutboxList,
  noticePreferenceUpdate,
  noticePreferenceView,
  notificationChannelCreate,
  notificationChannelDelete,
  notificationChannelList,
  notificationChannelTest,
  notificationChannelUpdate,
  notificationDeliveryList,
  type Preference,
} from '@slipway/contract/notification/notification.ts';
import type { Db } from '#db/database.ts';
import { handle, type Caller, type Handler } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import type { NotificationDeps } from './channel-deliveries.ts';
import { channelOf, channelsOf, createChannel, deleteChannel, testChannel, updateChannel, type OfTeam } from './channels.ts';
import { deliveryPage, outboxPage } from './deliveries.sql.ts';
import { needsOf } from './watches.sql.ts';
import { noticePage, preferencesOf, readAll, setNoticeState, setPreferences } from './notices.sql.ts';

const ofTeam = ({ caller, params }: { caller: Caller; params: { team: string } }): OfTeam => ({ caller, team: params.team });

/** A person without an address in the directory cannot turn e-mail on. Defaults stay. */
const requireEmail = async (db: Db, { id, email }: Caller, wanted: readonly Preference[]): Promise<void> => {
  if (email !== null) return;
  const { topics } = await preferencesOf(db, id, email);
  const isTurnedOn = (one: Preference) => one.email !== 'OFF' && one.email !== topics.find(({ topic }) => topic === one.topic)?.email;
  if (wanted.some(isTurnedOn)) throw new Problem('AzureADUserHasNoEmail', { field: 'topics' });
};

export const notificationRoutes = (deps: NotificationDeps, look: (team: string) => void): Handler[] => {
  const { db, mailer } = deps;
  return [
    handle(noticeList, ({ caller, query }) => noticePage(db, caller.id, query)),
    handle(needList, ({ caller }) => needsOf(db, [...caller.memberOf])),
    handle(noticeReadAll, ({ caller }) => readAll(db, caller.id)),
    handle(noticeUpdate, async ({ caller, params, body }) => {
      if (!(await setNoticeState(db, caller.id, params.notice, body.state))) throw new Problem('NotificationDoesNotExist');
    }),
    handle(noticePreferenceView, ({ caller }) => preferencesOf(db, caller.id, caller.email)),
    handle(
      noticePreferenceUpdate,
      async ({ caller, body }) => {
        await requireEmail(db, caller, body.topics);
        await setPreferences(db, caller.id, body.topics);
        return preferencesOf(db, caller.id, caller.email);
      },
      ({ caller }) => preferencesOf(db, caller.id, caller.email),
    ),
    handle(notificationChannelList, ({ caller, params }) => channelsOf(db, caller, params.team)),
    handle(notificationChannelCreate, (c) => createChannel(deps, ofTeam(c), c.body)),
    handle(notificationChannelUpdate, async (c) => {
      const channel = await updateChannel(deps, ofTeam(c), c.params.channel, c.body);
      look(c.params.team);
      return channel;
    }),
    handle(notificationChannelDelete, (c) => deleteChannel(deps, ofTeam(c), c.params.channel)),
    handle(
      notificationChannelTest,
      (c) => testChannel(deps, ofTeam(c), c.params.channel),
      async (c) => {
        const { lastDelivery } = await channelOf(db, c.caller, c.params.team, c.params.channel);
        return { status: lastDelivery?.status ?? null, failure: lastDelivery?.failure ?? null, durationMs: 0 };
      },
    ),
    handle(notificationDeliveryList, ({ params, query }) => deliveryPage(db, params.team, query)),
    handle(mailOutboxList, async ({ query }) => ({ mailer: mailer.kind, ...(await outboxPage(db, query)) })),
  ];
};
