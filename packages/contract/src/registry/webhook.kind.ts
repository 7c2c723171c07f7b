/** The kind `webhook`. A project serves both environments, so its address has none. The registry of its app shows it. */
import { appKind } from '../application.kind.ts';
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
