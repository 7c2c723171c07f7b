/** Counts of pending requests. The console's first screen loads this file, so it imports little. */
import * as z from 'zod/mini';
import { Environment } from '../kernel/fields.ts';
import { routesIn } from '../kernel/kernel.ts';

export const requestScope = {
  /** Only requests to or by this team. Its members may ask. */
  team: z.optional(z.string()),
  /** Only requests to or by this app. Members of its team may ask. */
  app: z.optional(z.string()),
  environment: z.optional(Environment),
};
export const RequestCounts = z.object({ decide: z.number(), late: z.number(), mine: z.number() });
export type RequestCounts = z.infer<typeof RequestCounts>;

const route = routesIn({ tag: 'Requests', access: 'signedIn' });
export const requestCounts = route('requestCounts', 'GET /api/v1/requests/counts', {
  summary: 'Number of pending requests: to decide, of these late, and by the caller',
  query: z.object(requestScope),
  response: RequestCounts,
  codes: ['InvalidValue', 'TeamDoesNotExist', 'ApplicationDoesNotExists', 'NotAMember'],
});
