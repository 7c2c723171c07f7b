/** Parses the topics that a consumer subscribes to, from the prefix of its metadata that is the same in every version. */
import { MalformedRequest, Reader } from '../protocol/reader.ts';

/** Returns undefined if the metadata is not a subscription, because other programs use groups, too. */
export const subscribedTopics = (metadata: Buffer): string[] | undefined => {
  try {
    const reader = new Reader(metadata);
    if (reader.int16() < 0) return undefined;
    const topics: string[] = [];
    for (let count = reader.length(false, false); count > 0; count -= 1) topics.push(reader.text(reader.length(false, true)));
    return topics;
  } catch (error) {
    if (error instanceof MalformedRequest) return undefined;
    throw error;
  }
};
