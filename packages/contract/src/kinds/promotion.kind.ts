/** The kind `promotion`: the way of an app to production. An app has one, and its runs are pipelines. */
import { appKind } from './application.kind.ts';
import { declareKind } from '../kernel/subject.ts';

export const promotionKind = declareKind({
  kind: 'promotion',
  label: 'Promotion',
  plural: 'Promotions',
  under: appKind,
  names: ['promotion'],
  access: 'appMemberHidden',
  shownBy: ['appPromotion'],
  path: '/app/{app}/promote',
  pipelines: { PromoteApplication: 'Promote to production' },
});
