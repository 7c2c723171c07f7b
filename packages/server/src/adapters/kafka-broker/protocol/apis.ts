/** Every API that the broker may know, by the name that Kafka gives it. Which versions are offered is for its handler to say. */
import type { Given, Whole } from './field.ts';
import { accessTables } from './tables/access.ts';
import { connectionsTables } from './tables/connections.ts';
import { groupsTables } from './tables/groups.ts';
import { messagesTables } from './tables/messages.ts';
import { offsetsTables } from './tables/offsets.ts';
import { topicsTables } from './tables/topics.ts';

export const apiTables = {
  ...messagesTables,
  ...topicsTables,
  ...connectionsTables,
  ...groupsTables,
  ...offsetsTables,
  ...accessTables,
} as const;

export type Api = keyof typeof apiTables;
/** A request as a handler gets it. */
export type Request<A extends Api> = Whole<(typeof apiTables)[A]['request']>;
/** A response as a handler makes it. */
export type Response<A extends Api> = Given<(typeof apiTables)[A]['response']>;
