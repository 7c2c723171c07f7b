/** Accounts that use a topic or ask for it, according to its grants. Another module stores grants; the composition root provides this interface. */
import type { Db } from '#db/database.ts';

export interface TopicUser {
  readonly topicId: string;
  /** Name of the topic. */
  readonly topic: string;
  readonly account: string;
  readonly applicationCode: string;
  readonly operation: 'READ' | 'WRITE';
}
export interface StreamingUsers {
  /** Returns accounts with approved grants only. */
  ofTopics(topicIds: readonly string[]): Promise<readonly TopicUser[]>;
  /** Voids pending requests for a topic, in the transaction that deletes the topic. */
  voidRequests(trx: Db, topicId: string): Promise<void>;
}
