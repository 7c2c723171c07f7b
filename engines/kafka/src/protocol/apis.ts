/** Every API that the broker knows, by Kafka's name. Handlers define which versions are supported. */
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
/** A decoded request. */
export type Request<A extends Api> = Whole<(typeof apiTables)[A]['request']>;
/** A response before encoding. */
export type Response<A extends Api> = Given<(typeof apiTables)[A]['response']>;
