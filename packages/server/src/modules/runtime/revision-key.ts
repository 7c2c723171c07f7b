/** A revision's full name in one string, and back. */
import { Environment } from '@slipway/contract/kernel/fields.ts';
import type { RevisionRef } from '#ports/runtime.ts';

export const keyOf = (ref: RevisionRef): string => `${ref.app}/${ref.environment}/${ref.service}/${ref.revision}`;

export const refOf = (key: string): RevisionRef => {
  const [app = '', environment, service = '', revision = ''] = key.split('/');
  return { app, environment: Environment.parse(environment), service, revision };
};
