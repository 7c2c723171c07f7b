/** Decisions about topics of another team. The same account asks for the same topics in the namesakes. */
import { expect } from 'vitest';
import { accountCreate } from '@slipway/contract/streaming/account.ts';
import {
  topicGrantApprove,
  topicGrantDecline,
  topicGrantRevoke,
  topicGrantView,
  topicGrantWithdraw,
  type TopicGrant,
  type TopicOperation,
} from '@slipway/contract/streaming/grant.ts';
import { eventually, SHARING_APP, view, type Place, type World, type Write } from './write.ts';

const grantOf = async ({ app }: World, place: Place, topic: string, operation: TopicOperation) => {
  const { id } = await app.database.db
    .selectFrom('topic_grant')
    .innerJoin('account', 'account.id', 'topic_grant.account_id')
    .innerJoin('topic', 'topic.id', 'topic_grant.topic_id')
    .select('topic_grant.id')
    .where('account.app_id', '=', place.app)
    .where('account.environment', '=', place.env)
    .where('account.name', '=', 'asker')
    .where('topic.name', '=', topic)
    .where('topic_grant.operation', '=', operation)
    .executeTakeFirstOrThrow();
  return { grant: id };
};
const about = (topic: string, operation: TopicOperation): Pick<Write, 'request' | 'after'> => ({
  request: async (world, place) => ({ params: await grantOf(world, place, topic, operation), body: { reason: 'The test decides' } }),
  after: async (world, place) => {
    const grant = await grantOf(world, place, topic, operation);
    await eventually(async () => expect(await view<TopicGrant>(world, place, topicGrantView, grant)).toMatchObject({ isBusy: false }));
  },
});
const shared = (resourceId: string) => ({ resourceId, applicationCode: SHARING_APP });

export const grantWrites: readonly Write[] = [
  {
    route: accountCreate,
    isInNamesakes: true,
    request: {
      body: {
        name: 'asker',
        reason: 'The test asks',
        produceTopics: [shared('releases')],
        consumeTopics: [shared('releases'), shared('seizures')],
      },
    },
  },
  { route: topicGrantApprove, actor: 'stranger', ...about('releases', 'READ') },
  { route: topicGrantRevoke, actor: 'stranger', ...about('releases', 'READ') },
  { route: topicGrantDecline, actor: 'stranger', ...about('releases', 'WRITE') },
  { route: topicGrantWithdraw, ...about('seizures', 'READ') },
];
