/** Defines a handler with the types of its API. */
import type { Handler } from '../parts.ts';
import type { Api } from './apis.ts';

export const handler = <A extends Api>(it: Handler<A>): Handler<A> => it;
