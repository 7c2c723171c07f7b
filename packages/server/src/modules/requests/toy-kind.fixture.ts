/** A kind of requests for tests: a new display name of a team, decided by the team `customs`. */
import { sql, type Transaction } from 'kysely';
import { subjectOf } from '@slipway/contract/kernel/subject.ts';
import { teamKind } from '@slipway/contract/kinds/team.kind.ts';
import type { DB } from '#db/types.ts';
import type { Caller } from '#kernel/http/handle.ts';
import type { NewRequest, RequestKind, RequestRow } from './request-kind.ts';

interface Wish {
  readonly name: string;
}
export const wishOf = ({ payload }: Pick<RequestRow, 'payload'>): Wish => payload as Wish;

/** A request for a new name. `base` is the name that the requester saw. */
export const renaming = (team: string, name: string, base = `Team ${team}`): NewRequest => ({
  kind: 'RENAME',
  subject: { kind: 'team', id: team },
  title: `rename ${team} to ${name}`,
  comment: 'The harbour renamed it',
  deciders: ['team:customs'],
  payload: { name },
  base: { name: base },
});

const nameOf = async (trx: Transaction<DB>, team: string): Promise<string | undefined> =>
  (await trx.selectFrom('team').select('display_name').where('id', '=', team).executeTakeFirst())?.display_name;

export const renameKind: RequestKind = {
  kind: 'RENAME',
  lock: async (trx, { subject_id: team }) => {
    await sql`select from team where id = ${team} for update`.execute(trx);
  },
  voidReason: async (trx, row) => {
    const now = await nameOf(trx, row.subject_id);
    return now === (row.base as Wish).name ? undefined : `The name is ${now} now`;
  },
  approve: async ({ trx, row }) => {
    await trx
      .updateTable('team')
      .set({ display_name: wishOf(row).name })
      .where('id', '=', row.subject_id)
      .execute();
    return { before: row.base, after: row.payload };
  },
  raiseAgain: async (trx, row) => renaming(row.subject_id, wishOf(row).name, await nameOf(trx, row.subject_id)),
  differences: (row) => [{ field: 'displayName', label: 'Name', before: (row.base as Wish).name, after: wishOf(row).name }],
  subject: ({ subject_id: team }) => subjectOf(teamKind, { team }, { team }),
  hints: ({ subject_id: team }) => [{ kind: 'team', team }],
};

/** A caller without a database row. */
export const callerOf = (id: string, teams: readonly string[], isAdministrator = false): Caller => ({
  id,
  displayName: id,
  email: null,
  type: 'USER',
  provider: 'test',
  origin: 'console',
  scopes: new Set(),
  isAutomation: false,
  isAdministrator,
  memberOf: new Set(teams),
  ownerOf: new Set(),
});
