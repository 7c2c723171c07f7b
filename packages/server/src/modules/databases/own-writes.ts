/** Actions on a database beside create, update and delete: activate, rotate the password, end the former one, let others read. */
import type { Transaction } from 'kysely';
import { databaseReadConnections } from '@slipway/contract/database/database-plan.ts';
import {
  databaseActivation,
  databaseFormerPasswordEnd,
  databaseReader,
  databaseRotate,
  type Database,
} from '@slipway/contract/database/database.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import type { PlanNote } from '@slipway/contract/pipeline/plan.ts';
import type { DB } from '#db/types.ts';
import { handle, type Handler } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { note } from '#modules/pipelines/index.ts';
import { endFormerNow, requireEntity, runAction, type ActionDeps, type Names } from '#modules/resources/index.ts';
import { requireFreeGroup, rotationNotes } from '#modules/secret-groups/index.ts';
import type { DatabasePipelines } from './database-pipelines.ts';
import { databaseRow, readerKeyOf } from './database-rows.ts';
import type { databaseEntity } from './database-entity.ts';

/** Reserves the name of the secret group of the read-only login. A name that an earlier attempt reserved is kept. Returns the name. */
export const reserveReaderGroup = async (trx: Transaction<DB>, names: Names): Promise<string> => {
  const row = await databaseRow(trx, names);
  if (!row) throw new Problem('DatabaseDoesNotExist');
  const key = readerKeyOf(row);
  if (row.reader_group === null) await requireFreeGroup(trx, key);
  await trx.updateTable('database').set({ reader_group: key.group }).where('id', '=', row.id).execute();
  return key.group;
};

const readerPlan = ({ name, maxConnections: all }: Database, group: string, active: boolean): PlanNote[] => {
  if (!active) return [note('ClosesReader', { group }), note('FreesConnections', { all: String(all) })];
  const reader = databaseReadConnections(all);
  const shares = { reader: String(reader), all: String(all), rest: String(all - reader) };
  return [note('OpensReader', { database: name }), note('MakesReaderGroup', { group }), note('SharesConnections', shares)];
};

export interface WriteDeps extends ActionDeps {
  readonly entity: ReturnType<typeof databaseEntity>;
  readonly pipelines: DatabasePipelines;
}
export const databaseWrites = (deps: WriteDeps): Handler[] => {
  const { db, entity, pipelines } = deps;
  const action = (route: RouteShape, verb: string) => ({ entity, route, verb });
  return [
    handle(databaseActivation, (c) =>
      runAction(deps, action(databaseActivation, 'activate'), c, ({ name, active: before }) => {
        const { active } = c.body;
        if (active === before) throw new Problem('NothingChanged');
        return {
          definition: pipelines.activation,
          input: { ...c.params, isActive: active },
          consequences: [note(active ? 'AcceptsConnections' : 'RefusesConnections', { database: name })],
          reason: active ? 'Activated' : 'Deactivated',
          message: `${c.caller.displayName} ${active ? 'activated' : 'deactivated'} the database ${name}`,
          before: { active: before },
          after: { active },
        };
      }),
    ),
    handle(databaseRotate, (c) =>
      runAction(deps, action(databaseRotate, 'rotate'), c, ({ name, secretGroup, reader }) => {
        const { overlapHours: hours } = c.body;
        return {
          definition: pipelines.rotation,
          input: { ...c.params, overlapHours: hours },
          ...rotationNotes(hours, secretGroup, reader ? [note('MakesReaderPassword', { group: reader.secretGroup })] : []),
          skips: [...(reader ? [] : ['MakeReaderPassword']), ...(hours === 0 ? [] : ['EndFormerPassword'])],
          message: `${c.caller.displayName} asked for a new password of the database ${name}`,
        };
      }),
    ),
    handle(databaseReader, (c) =>
      runAction(deps, action(databaseReader, 'setReader'), c, async (database, trx) => {
        const { name, reader } = database;
        const { active } = c.body;
        if (active === (reader !== null)) throw new Problem('NothingChanged');
        const group = reader?.secretGroup ?? (await reserveReaderGroup(trx, c.params));
        return {
          definition: active ? pipelines.openReader : pipelines.closeReader,
          input: { ...c.params },
          consequences: readerPlan(database, group, active),
          reason: active ? 'ReaderOpened' : 'ReaderClosed',
          message: `${c.caller.displayName} turned the read-only login of the database ${name} ${active ? 'on' : 'off'}`,
          before: { reader: !active },
          after: { reader: active },
        };
      }),
    ),
    handle(
      databaseFormerPasswordEnd,
      (c) => endFormerNow(db, { entity, route: databaseFormerPasswordEnd }, c, ({ name }) => name),
      (c) => requireEntity(db, entity, c.params, c.caller),
    ),
  ];
};
