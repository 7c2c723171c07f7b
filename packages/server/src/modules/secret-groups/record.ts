/** Activity entries about secrets: key names and versions, never a value. */
import { secretGroupKind } from '@slipway/contract/kinds/secret-group.kind.ts';
import { subjectOf, type Subject } from '@slipway/contract/kernel/subject.ts';
import type { Transaction } from 'kysely';
import type { DB } from '#db/types.ts';
import { recordWrite } from '#modules/activity/index.ts';
import type { GroupKey, Viewer } from './groups.sql.ts';

/** Shown with the service, too, where it is for one. */
export const groupSubject = ({ app, environment, group }: GroupKey, team: string, service?: string): Subject =>
  subjectOf(secretGroupKind, { app, env: environment, group, ...(service === undefined ? {} : { service }) }, { team });

export interface SecretEntryOfLog {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly level?: 'INFO' | 'WARNING';
  readonly service?: string;
  readonly before?: object;
  readonly after?: object;
}

export const recordSecret = (
  trx: Transaction<DB>,
  { caller, app }: Viewer,
  { group, environment }: Pick<GroupKey, 'group' | 'environment'>,
  { before, after, service, ...entry }: SecretEntryOfLog,
): Promise<void> =>
  recordWrite(trx, caller, {
    ...entry,
    subject: groupSubject({ app: app.id, environment, group }, app.teamId, service),
    ...(before ? { before: { group, ...before } } : {}),
    after: { group, ...after },
  });
