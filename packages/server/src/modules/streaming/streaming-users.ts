/** Accounts that may use a topic, according to its grants. Another module stores grants; the composition root provides this interface. */

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
}
