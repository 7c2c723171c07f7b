/** Registers the screens of accounts. Their list is part of the app page, which the shell registers. */
import { accountKind } from '@slipway/contract/kinds/account.kind.ts';
import type { Account } from '@slipway/contract/streaming/account.ts';
import { UserRound } from 'lucide-react';
import { resourceScreens } from '#entities/resource/screens.ts';

export const accountScreens = resourceScreens<Account>({
  kind: accountKind,
  list: async () => (await import('@slipway/contract/streaming/account.ts')).accountList,
  icon: <UserRound aria-hidden="true" />,
  newPage: () => import('./accounts/NewAccountPage.tsx'),
  page: () => import('./accounts/AccountPage.tsx'),
  nameOf: ({ name }) => ({ name, title: name }),
  moreRoutes: [
    { path: 'app/:app/:env/events-processing/accounts/:account/promotion', lazy: () => import('./promotion/AccountPromotionPage.tsx') },
  ],
});
