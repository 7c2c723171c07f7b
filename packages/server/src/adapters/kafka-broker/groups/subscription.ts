/** The topics that a consumer has subscribed to: the beginning of what it sends as its metadata, which every version of it has. */
import { MalformedRequest, Reader } from '../protocol/reader.ts';

/** Undefined for what is no subscription: other programs than consumers use groups, too. */
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
