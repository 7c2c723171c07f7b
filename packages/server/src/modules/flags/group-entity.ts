/** Defines saved groups for the resource kernel. */
import { sql } from 'kysely';
import type * as z from 'zod/mini';
import {
  flagGroupResource,
  maxFlagGroups,
  type FlagGroup,
  type FlagGroupCreate,
  type FlagGroupUpdate,
} from '@slipway/contract/flag/flag-group.ts';
import { keepOmitted } from '@slipway/contract/resource.ts';
import { memberRule } from '@slipway/contract/kernel/rights.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { newId } from '#kernel/ids.ts';
import type { Entity, Write } from '#modules/resources/index.ts';
import { flagsUsing, requireRoom } from './flag-entity.ts';

interface Row {
  readonly name: string;
  readonly app_id: string;
  readonly team_id: string;
  readonly description: string;
  readonly attribute: string;
  readonly values: string[];
  readonly flags: string[];
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly updated_by: string;
  readonly updated_by_name: string;
}
type Changes = Pick<z.output<typeof FlagGroupCreate>, 'description' | 'values'>;

const columns = sql`flag_group.*, app.team_id, ${flagsUsing(
  'flag_group.app_id',
  sql`jsonb_build_object('groups', jsonb_build_array(jsonb_build_object('group', flag_group.name)))`,
)} as flags`;

const toView = (row: Row, caller: Caller): FlagGroup => {
  const member = memberRule(caller, row.team_id);
  return {
    name: row.name,
    app: row.app_id,
    description: row.description,
    attribute: row.attribute,
    values: row.values,
    flags: row.flags,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    updatedBy: { id: row.updated_by, displayName: row.updated_by_name },
    can: { update: member, delete: member === true && row.flags.length > 0 ? 'FlagGroupInUse' : member },
  };
};
const unique = (values: readonly string[]): string[] => [...new Set(values)];

const insert = async ({ trx, caller, names: { app = '' }, wanted }: Write<z.output<typeof FlagGroupCreate>>) => {
  await requireRoom(trx, app, 'flag_group', maxFlagGroups, 'saved groups');
  const row = await trx
    .insertInto('flag_group')
    .values({
      ...wanted,
      id: newId('fgrp'),
      app_id: app,
      values: unique(wanted.values),
      created_by: caller.id,
      created_by_name: caller.displayName,
      updated_by: caller.id,
      updated_by_name: caller.displayName,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return row && {};
};
const update = async ({ trx, caller, names, wanted: { description, values } }: Write<Changes>) => {
  await trx
    .updateTable('flag_group')
    .set({ description, values: unique(values), updated_at: new Date(), updated_by: caller.id, updated_by_name: caller.displayName })
    .where('app_id', '=', names['app'] ?? '')
    .where('name', '=', names['group'] ?? '')
    .execute();
};

export const flagGroupEntity: Entity<FlagGroup, Row, z.output<typeof FlagGroupCreate>, Changes> = {
  resource: flagGroupResource,
  table: 'flag_group',
  key: { app: 'app_id', group: 'name' },
  columns,
  from: sql`flag_group join app on app.id = flag_group.app_id`,
  sort: { name: 'name', createdAt: 'created_at', updatedAt: 'updated_at' },
  search: ['name', 'description'],
  toView,
  title: ({ name }) => name,
  create: { name: ({ name }) => name, field: 'name', insert },
  complete: ({ description, values }, changes: z.output<typeof FlagGroupUpdate>) => keepOmitted({ description, values }, changes),
  update,
  before: ({ name, description, values }) => ({ name, description, values }),
};
