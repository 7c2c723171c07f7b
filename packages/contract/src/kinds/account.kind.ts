/** The kind `account`: a login for Kafka clients of an app. Non-members cannot tell whether an account exists. */
import { appKind } from './application.kind.ts';
import { declareKind } from '../kernel/subject.ts';

export const accountKind = declareKind({
  kind: 'account',
  label: 'Account',
  plural: 'Accounts',
  under: appKind,
  names: ['env', 'account'],
  access: 'appMemberHidden',
  shownBy: ['account', 'topicGrant', 'topicUsage', 'appMap'],
  path: '/app/{app}/{env}/events-processing/accounts/{account}',
  listPath: '/app/{app}/{env}/events-processing/accounts',
  newPath: '/app/{app}/{env}/events-processing/accounts/new',
  pipelines: {
    CreateAccount: 'Create account',
    UpdateAccount: 'Change account',
    DeleteAccount: 'Delete account',
    RotateAccountPassword: 'Change account password',
    ReplaceAccountPassword: 'Replace account password',
    ApplyAccountRules: 'Apply access rules of account',
  },
});
