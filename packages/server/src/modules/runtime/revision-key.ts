/** A revision's full name in one string, and back. */
import { Environment } from '@slipway/contract/kernel/fields.ts';
import type { RevisionRef, ServiceRef } from '#ports/runtime.ts';

export const keyOf = (ref: RevisionRef): string => `${ref.app}/${ref.environment}/${ref.service}/${ref.revision}`;

export const refOf = (key: string): RevisionRef => {
  const [app = '', environment, service = '', revision = ''] = key.split('/');
  return { app, environment: Environment.parse(environment), service, revision };
};

/** Names a row about a service among those that cannot be read. */
export const serviceRow = (row: ServiceRef & { readonly serviceId: string }) => ({
  id: row.serviceId,
  kind: 'service',
  name: `${row.app}/${row.environment}/${row.service}`,
});
