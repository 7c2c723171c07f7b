/** The kind `webhook`. A project serves both environments, so the address has no environment. The registry of its app lists it. */
import { appKind } from './application.kind.ts';
import { declareKind } from '../kernel/subject.ts';

export const webhookKind = declareKind({
  kind: 'webhook',
  label: 'Webhook',
  plural: 'Webhooks',
  under: appKind,
  names: ['webhook'],
  access: 'appMemberHidden',
  shownBy: ['webhook'],
});
