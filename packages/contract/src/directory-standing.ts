/** Deactivating people in the platform's own directory. */
import * as z from 'zod/mini';
import { route } from './kernel/kernel.ts';

export const identityStandingSet = route({
  id: 'identityStandingSet',
  method: 'PUT',
  path: '/api/team-service/identities/v1/{identityId}/standing',
  summary: 'Say whether a person still works here',
  description:
    'A person who left can no longer sign in or use tokens, does not count as an owner in the catalog, and stays in the history. Reactivation gives everything back.',
  tag: 'Identities',
  access: 'administrator',
  body: z.object({ active: z.boolean({ error: 'Required' }) }),
  response: z.object({ id: z.string(), active: z.boolean() }),
  codes: ['NotAnAdministrator', 'AzureADAzureADUserDoesNotExist', 'Required', 'InvalidValue', 'OwnStanding'],
});
