/** Activity entries about secrets: key names and versions, never a value. */
import type { Transaction } from 'kysely';
import type { DB } from '#db/types.ts';
import { recordWrite } from '#modules/activity/index.ts';
import type { GroupKey, Viewer } from './groups.sql.ts';

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
  { before, after, ...entry }: SecretEntryOfLog,
): Promise<void> =>
  recordWrite(trx, caller, {
    ...entry,
    team: app.teamId,
    app: app.id,
    env: environment,
    ...(before ? { before: { group, ...before } } : {}),
    after: { group, ...after },
  });
