/** Grant routes: lists per app and per team, get, and decisions. */
import {
  topicGrantApprove,
  topicGrantDecline,
  topicGrantList,
  topicGrantRevoke,
  topicGrantTeamList,
  topicGrantView,
  topicGrantWithdraw,
  topicUsageView,
} from '@slipway/contract/streaming/grant.ts';
import { handle, type Handler } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { inPlace } from '#modules/resources/index.ts';
import type { WriteDeps } from '../accounts/account-writes.ts';
import { approveGrant, declineGrant, requireGrant, revokeGrant, withdrawGrant } from './decisions.ts';
import { grantPage, grantView } from './grant-rows.ts';
import { usersOfTopics } from './topic-users.ts';

export const grantRoutes = (deps: WriteDeps): Handler[] => {
  const { db } = deps;
  const one = async (id: string, caller: Parameters<typeof grantView>[1]) => grantView(await requireGrant(db, id, caller), caller);
  return [
    handle(topicGrantList, (c) => grantPage(db, { app: c.params.app, environment: c.environment }, c.query, c.caller)),
    handle(topicGrantTeamList, (c) => grantPage(db, { team: c.params.team, environment: c.query.environment }, c.query, c.caller)),
    handle(topicGrantView, (c) => one(c.params.grant, c.caller)),
    handle(
      topicGrantApprove,
      (c) => approveGrant(deps, c.params.grant, c.caller, c.body.reason),
      (c) => one(c.params.grant, c.caller),
    ),
    handle(
      topicGrantDecline,
      (c) => declineGrant(deps, c.params.grant, c.caller, c.body.reason),
      (c) => one(c.params.grant, c.caller),
    ),
    handle(
      topicGrantRevoke,
      (c) => revokeGrant(deps, c.params.grant, c.caller, c.body.reason),
      (c) => one(c.params.grant, c.caller),
    ),
    handle(
      topicGrantWithdraw,
      (c) => withdrawGrant(deps, c.params.grant, c.caller),
      (c) => one(c.params.grant, c.caller),
    ),
    handle(topicUsageView, async (c) => {
      const { app, topic } = c.params;
      const row = await db
        .selectFrom('topic')
        .select('id')
        .where(({ and }) => and(inPlace({ app, environment: c.environment })))
        .where(topic.includes('_') ? 'id' : 'name', '=', topic)
        .executeTakeFirst();
      if (!row) throw new Problem('TopicDoesNotExist');
      const users = await usersOfTopics(db, [row.id]);
      return { users: users.map(({ user }) => user) };
    }),
  ];
};
