/** Defines client keys for the resource kernel, and rotates them. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type * as z from 'zod/mini';
import {
  flagKeyResource,
  flagKeyRotate,
  maxFlagKeys,
  type FlagKey,
  type FlagKeyCreate,
  type FlagKeyUpdate,
} from '@slipway/contract/flag/flag-key.ts';
import { keepOmitted } from '@slipway/contract/resource.ts';
import { memberRule } from '@slipway/contract/kernel/rights.ts';
import type { Db } from '#db/database.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { newId } from '#kernel/ids.ts';
import { Problem } from '#kernel/problem.ts';
import { lockApp } from '#modules/apps/index.ts';
import { changeNow, inPlace, overlapEnd, placeOf, rowAt, type ActionCall, type Entity, type Write } from '#modules/resources/index.ts';

interface Row {
  readonly name: string;
  readonly app_id: string;
  readonly environment: FlagKey['environment'];
  readonly team_id: string;
  readonly mode: FlagKey['mode'];
  readonly client_key: string;
  readonly previous_until: Date | null;
  readonly decryption_key: string | null;
  readonly requested_at: Date | null;
  readonly created_at: Date;
  readonly created_by: string;
  readonly created_by_name: string;
}
type Mode = Pick<FlagKey, 'mode'>;

const newClientKey = (): string => `sdk-${randomBytes(12).toString('base64url')}`;
/** 128 bits, as the SDKs' AES-CBC expects. */
const newDecryptionKey = (): string => randomBytes(16).toString('base64');

const toView = (row: Row, caller: Caller): FlagKey => {
  const member = memberRule(caller, row.team_id);
  return {
    name: row.name,
    app: row.app_id,
    environment: row.environment,
    mode: row.mode,
    clientKey: row.client_key,
    decryptionKey: row.decryption_key,
    previousEndsAt: row.previous_until && row.previous_until > new Date() ? row.previous_until.toISOString() : null,
    lastRequestedAt: row.requested_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    createdBy: { id: row.created_by, displayName: row.created_by_name },
    can: { update: member, delete: member, rotate: member },
  };
};

const insert = async ({ trx, caller, names, wanted: { name, mode } }: Write<z.output<typeof FlagKeyCreate>>) => {
  const place = placeOf(names);
  await lockApp(trx, place.app);
  const { kept } = await trx
    .selectFrom('flag_key')
    .select((at) => at.fn.countAll<number>().as('kept'))
    .where(({ and }) => and(inPlace(place)))
    .executeTakeFirstOrThrow();
  if (Number(kept) >= maxFlagKeys)
    throw new Problem('FlagLimitReached', { context: { max: String(maxFlagKeys), what: 'client keys in an environment' } });
  const row = await trx
    .insertInto('flag_key')
    .values({
      ...rowAt(place, name),
      id: newId('fkey'),
      mode,
      client_key: newClientKey(),
      decryption_key: mode === 'ENCRYPTED' ? newDecryptionKey() : null,
      created_by: caller.id,
      created_by_name: caller.displayName,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return row && {};
};
const update = async ({ trx, names, before, wanted: { mode } }: Write<Mode> & { readonly before: FlagKey }) => {
  if (mode === before.mode) return;
  await trx
    .updateTable('flag_key')
    .set({ mode, decryption_key: mode === 'ENCRYPTED' ? newDecryptionKey() : null, updated_at: new Date() })
    .where(({ and }) => and(rowAt(placeOf(names), names['key'] ?? '')))
    .execute();
};

export const flagKeyEntity: Entity<FlagKey, Row, z.output<typeof FlagKeyCreate>, Mode> = {
  resource: flagKeyResource,
  table: 'flag_key',
  key: { app: 'app_id', env: 'environment', key: 'name' },
  columns: sql`flag_key.*, app.team_id`,
  from: sql`flag_key join app on app.id = flag_key.app_id`,
  sort: { name: 'name', createdAt: 'created_at' },
  search: ['name'],
  toView,
  title: ({ name }) => name,
  create: { name: ({ name }) => name, field: 'name', insert },
  complete: ({ mode }, changes: z.output<typeof FlagKeyUpdate>) => keepOmitted({ mode }, changes),
  update,
  before: ({ name, mode }) => ({ name, mode }),
};

/** Issues a new client key. The previous one works until the overlap ends. The decryption key stays, so that the previous one can be read. */
export const rotateKey = (db: Db, call: Omit<ActionCall, 'query'>, overlapHours: number): Promise<FlagKey> =>
  changeNow(db, { entity: flagKeyEntity, route: flagKeyRotate, verb: 'rotate' }, call, async ({ name, clientKey }, trx) => {
    const until = overlapHours === 0 ? null : overlapEnd(overlapHours);
    await trx
      .updateTable('flag_key')
      .set({ client_key: newClientKey(), previous_key: until && clientKey, previous_until: until, updated_at: new Date() })
      .where(({ and }) => and(rowAt(placeOf(call.params), name)))
      .execute();
    const message = `${call.caller.displayName} rotated the client key ${name}`;
    return { reason: 'Rotated', message, after: { name, overlapHours } };
  });
