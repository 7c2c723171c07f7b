/** Registers the screens of accounts. Their list is part of the app page, which the shell registers. */
import { accountKind } from '@slipway/contract/streaming/account.kind.ts';
import type { Account } from '@slipway/contract/streaming/account.ts';
import { UserRound } from 'lucide-react';
import { resourceScreens } from '#entities/resource/screens.ts';

const page = () => import('./accounts/AccountPage.tsx');
const create = () => import('./accounts/NewAccountPage.tsx');

export const accountScreens = resourceScreens<Account>({
  kind: accountKind,
  list: async () => (await import('@slipway/contract/streaming/account.ts')).accountList,
  icon: <UserRound aria-hidden="true" />,
  load: async () => ({
    ListPage: (await import('./lists/AccountsList.tsx')).Component,
    NewPage: (await create()).Component,
    Page: (await page()).Component,
  }),
  nameOf: ({ name }) => ({ name, title: name }),
  routes: [
    { path: 'app/:app/:env/events-processing/accounts/new', lazy: create },
    { path: 'app/:app/:env/events-processing/accounts/:account', lazy: page },
    { path: 'app/:app/:env/events-processing/accounts/:account/promotion', lazy: () => import('./promotion/AccountPromotionPage.tsx') },
  ],
  pages: () => [],
  actions: () => [],
});
