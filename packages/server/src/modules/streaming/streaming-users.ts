/** Who may use a topic, as its grants say. Grants are kept elsewhere; whoever joins the areas says where. */

export interface TopicUser {
  readonly topicId: string;
  /** The topic's name. */
  readonly topic: string;
  readonly account: string;
  readonly applicationCode: string;
  readonly operation: 'READ' | 'WRITE';
}
export interface StreamingUsers {
  /** Approved grants alone. */
  ofTopics(topicIds: readonly string[]): Promise<readonly TopicUser[]>;
}
