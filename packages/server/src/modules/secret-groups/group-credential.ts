/** A credential whose passwords are handed over by a secret group of the platform: each password is a new version of the group. */
import { randomBytes } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { PlanNote } from '@slipway/contract/pipeline/plan.ts';
import { transaction } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { note } from '#modules/pipelines/index.ts';
import { issue, unissue, type Credential, type Holder, type PasswordWish, type RowStep, type Turn } from '#modules/resources/index.ts';
import type { GroupKey } from './groups.sql.ts';
import { dropPlatformGroup, withdrawPlatformVersion, writePlatformVersion } from './platform-group.ts';
import type { SecretValues } from './seal.ts';
import type { SecretDeps } from './secret-groups.ts';

/** The credential of one row. */
export interface GroupCredential {
  readonly credential: Credential;
  /** The newest version of the group. */
  readonly version: number | null;
  readonly group: GroupKey;
  /** Gives the login the password. Returns the keys of the secret group. */
  open(turn: Turn, password: string): Promise<SecretValues>;
  /** Removes the password of a login and ends its sessions. Ignores logins that do not exist. */
  close(turn: Turn): Promise<void>;
  /** Stores the credential and the newest version in the row. */
  store(trx: Transaction<DB>, credential: Credential, version: number | null): Promise<void>;
}

const PASSWORD_BYTES = 32;

/**
 * Sets a password, then stores it as a new version. If interrupted in between, the next attempt sets another password, since nobody has
 * learned the first. The first password is taken back with its group, a later one with its version.
 */
const holderOf = (deps: SecretDeps, { credential, version, group, open, close, store }: GroupCredential): Holder<number> => ({
  credential,
  close,
  give: async (next) => {
    const values = await open(next.turn, randomBytes(PASSWORD_BYTES).toString('base64url'));
    return writePlatformVersion(deps, group, values, (trx, made) => store(trx, next, made));
  },
  takeBack: (before) =>
    transaction(deps.db, async (trx) => {
      const isFirst = before.state === 'NONE';
      if (isFirst) await dropPlatformGroup(trx, group);
      await store(trx, before, isFirst ? null : await withdrawPlatformVersion(trx, group, version ?? 0));
    }),
});

/** Issues a password, unless this pipeline has already issued it. Returns the newest version of the group. */
export const givePassword = async (deps: SecretDeps, made: GroupCredential, wish: PasswordWish): Promise<number | null> =>
  (await issue(holderOf(deps, made), wish)) ?? made.version;

interface PasswordStep<Row, I> {
  readonly code: string;
  readonly of: (row: Row) => GroupCredential;
  /** Hours for which the former password stays valid. Defaults to none, as for the first password. */
  readonly overlapOf?: (input: I) => number;
  readonly isPointOfNoReturn?: boolean;
}
/** Makes a new password for the login that is not in use. */
export const passwordStep = <Row, I>(deps: SecretDeps, step: PasswordStep<Row, I>): RowStep<Row, I> => ({
  code: step.code,
  isPointOfNoReturn: step.isPointOfNoReturn ?? false,
  run: async ({ row, input, pipelineId: by, log }) => {
    const made = step.of(row);
    const { group } = made.group;
    const version = String(await givePassword(deps, made, { by, overlapHours: step.overlapOf?.(input) ?? 0 }));
    log(`Version ${version} of the secret group ${group}`);
    return { message: { code: 'DatabasePasswordMade', context: { version, group } } };
  },
  undo: ({ row, pipelineId }) => unissue(holderOf(deps, step.of(row)), pipelineId),
});

/** Returns the notes of a rotation for the plan and the activity log. `more`: consequences for further passwords. */
export const rotationNotes = (overlapHours: number, group: string, more: readonly PlanNote[] = []) => {
  const former = overlapHours === 0 ? note('FormerPasswordEnds') : note('FormerPasswordStays', { hours: String(overlapHours) });
  return { consequences: [note('MakesPassword', { group }), ...more, former], reason: 'Rotated', after: { overlapHours } };
};
