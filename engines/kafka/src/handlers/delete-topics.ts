/** DeleteTopics, by name or by id. Topics that the caller may not see are answered as missing. */
import type { Caller } from '../parts.ts';
import { operations } from '../parts.ts';
import type { Request, Response } from '../protocol/apis.ts';
import { errors } from '../protocol/errors.ts';
import { handler } from '../protocol/handler.ts';
import { mayTopic, type HandlerContext } from './context.ts';
import { NO_TOPIC_ID } from './metadata.ts';
import { done, outcomeOf, refuse, type Outcome } from './outcome.ts';

interface Asked {
  readonly name: string | null;
  readonly topicId: string;
}
const askedIn = ({ topics, topicNames }: Request<'DeleteTopics'>, version: number): readonly Asked[] =>
  version >= 6 ? topics : topicNames.map((name) => ({ name, topicId: NO_TOPIC_ID }));

export const deleteTopicsHandler = (context: HandlerContext) => {
  const deleteOne = async (name: string | undefined, caller: Caller, isById: boolean): Promise<Outcome> => {
    if (name === undefined) return refuse(errors.UNKNOWN_TOPIC_ID);
    const mayDescribe = mayTopic(context, caller, operations.describe, name);
    if (!mayDescribe && isById) return refuse(errors.UNKNOWN_TOPIC_ID);
    if (!mayTopic(context, caller, operations.delete, name)) return refuse(errors.TOPIC_AUTHORIZATION_FAILED);
    const topic = context.topics.get(name);
    if (topic === undefined) return refuse(errors.UNKNOWN_TOPIC_OR_PARTITION, `The topic '${name}' does not exist.`);
    await context.topics.delete(topic);
    return done;
  };
  return handler({
    api: 'DeleteTopics',
    versions: [0, 6],
    handle: (request, caller) =>
      context.topics.inTurn(async () => {
        const responses: Response<'DeleteTopics'>['responses'][number][] = [];
        for (const asked of askedIn(request, caller.version)) {
          const isById = asked.name === null;
          const name = asked.name ?? context.topics.topicName(asked.topicId);
          const topicId = name === undefined ? asked.topicId : (context.topics.topicId(name) ?? asked.topicId);
          const outcome = await outcomeOf(
            () => deleteOne(name, caller, isById),
            (error) => context.log('error', 'a topic could not be deleted', { topic: name, error: String(error) }),
          );
          const isHidden = isById && outcome.errorCode === errors.UNKNOWN_TOPIC_ID;
          responses.push({ name: isHidden ? null : (name ?? null), topicId, ...outcome });
        }
        return { responses };
      }),
  });
};
