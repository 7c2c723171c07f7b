/** Writes of databases and their backups. */
import { expect } from 'vitest';
import {
  databaseBackupCheck,
  databaseBackupCreate,
  databaseBackupDelete,
  databaseBackupList,
  databaseBackupRestore,
  type DatabaseBackup,
} from '@slipway/contract/database/backup.ts';
import {
  databaseActivation,
  databaseCreate,
  databaseDelete,
  databaseFormerPasswordEnd,
  databaseReader,
  databaseRotate,
  databaseUpdate,
} from '@slipway/contract/database/database.ts';
import type { Page } from '@slipway/contract/kernel/fields.ts';
import { eventually, view, type Place, type World, type Write } from './write.ts';

const named = { database: 'plans' };
const settings = { displayName: 'Berth plans', plan: 'BURSTABLE_1', storageGb: 32, maxConnections: 20, backupRetentionDays: 7 };
const namesake = { isInNamesakes: true } as const;

const newest = async (world: World, place: Place): Promise<DatabaseBackup | undefined> =>
  (await view<Page<DatabaseBackup>>(world, place, databaseBackupList, named)).content[0];
/** A backup is made and checked by workers, without a pipeline. */
const settled = (world: World, place: Place) =>
  eventually(async () => expect(await newest(world, place)).toMatchObject({ state: 'COMPLETED', check: { state: 'PASSED' } }));
const ofNewest = async (world: World, place: Place) => ({ ...named, backup: (await newest(world, place))?.id ?? '' });

export const databaseWrites: readonly Write[] = [
  { route: databaseCreate, ...namesake, request: { body: { ...settings, name: 'plans', region: 'WESTEUROPE' } } },
  { route: databaseReader, ...namesake, request: { params: named, body: { active: true } } },
  { route: databaseRotate, ...namesake, request: { params: named, body: { overlapHours: 24 } } },
  { route: databaseFormerPasswordEnd, request: { params: named } },
  { route: databaseUpdate, request: { params: named, body: { ...settings, maxConnections: 21 } } },
  { route: databaseBackupCreate, ...namesake, request: { params: named }, after: settled },
  { route: databaseBackupCheck, request: async (world, place) => ({ params: await ofNewest(world, place) }), after: settled },
  {
    route: databaseBackupRestore,
    request: async (world, place) => ({ params: await ofNewest(world, place), body: { name: 'plansagain' } }),
  },
  { route: databaseBackupDelete, request: async (world, place) => ({ params: await ofNewest(world, place) }) },
  { route: databaseReader, request: { params: named, body: { active: false } } },
  { route: databaseActivation, request: { params: named, body: { active: false } } },
  { route: databaseDelete, request: { params: named } },
];
