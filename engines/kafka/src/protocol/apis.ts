/** Every API that the broker knows, by Kafka's name. Handlers define which versions are supported. */
import type { Given, Whole } from './field.ts';
import { apiTables } from './tables.ts';

export { apiTables };
export type Api = keyof typeof apiTables;
/** A decoded request. */
export type Request<A extends Api> = Whole<(typeof apiTables)[A]['request']>;
/** A response before encoding. */
export type Response<A extends Api> = Given<(typeof apiTables)[A]['response']>;
