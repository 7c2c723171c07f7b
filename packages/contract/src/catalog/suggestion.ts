/** Suggested links between apps and applications of the catalog, by likeness of their names. */
import * as z from 'zod/mini';
import { route } from '../kernel/kernel.ts';
import { catalogPath, catalogTag as tag } from './entry.ts';

const shared = { method: 'GET', tag, access: 'signedIn' } as const;
/** From this likeness on, a link is suggested. */
export const suggestedFrom = 0.6;

export const catalogAppSuggestionList = route({
  ...shared,
  id: 'catalogAppSuggestionList',
  path: `${catalogPath}/applications/{appId}/suggestions`,
  summary: 'Apps without a macId whose names are like the name of the application',
  response: z.array(
    z.object({
      app: z.string(),
      displayName: z.string(),
      teamName: z.string(),
      /** 0 to 1. */
      score: z.number(),
      /** True if the caller may set the macId: an owner of the app's team. */
      canLink: z.boolean(),
    }),
  ),
  codes: ['EntryDoesNotExist'],
});
export const catalogEntrySuggestionList = route({
  ...shared,
  id: 'catalogEntrySuggestionList',
  path: `${catalogPath}/apps/{app}/suggestions`,
  summary: 'Active applications without an app whose names are like the name of the app',
  response: z.array(
    z.object({ applicationId: z.string(), applicationName: z.string(), platformName: z.nullable(z.string()), score: z.number() }),
  ),
  codes: ['ApplicationDoesNotExists'],
});
