/** Plans of creating, changing and deleting a database: consequences, warnings, and steps that have nothing to do. */
import { databasePlanFacts } from '@slipway/contract/database/database-plan.ts';
import {
  databaseGroupName,
  databaseLabels,
  type Database,
  type DatabaseCreate,
  type DatabaseUpdate,
} from '@slipway/contract/database/database.ts';
import type { PlanNote } from '@slipway/contract/pipeline/plan.ts';
import { changeNotes, note } from '#modules/pipelines/index.ts';
import type { PlanParts } from '#modules/resources/index.ts';

/** Picks the settings from a larger object, such as a view. */
export const settingsIn = ({
  displayName,
  storageGb,
  backupRetentionDays,
  maxConnections,
  plan: computePlan,
}: DatabaseUpdate): DatabaseUpdate => ({
  displayName,
  storageGb,
  backupRetentionDays,
  maxConnections,
  plan: computePlan,
});
export const isSame = (one: DatabaseUpdate, other: DatabaseUpdate): boolean => changesOf(one, other).length === 0;

const warningsOf = ({ plan, maxConnections }: DatabaseUpdate): PlanNote[] => {
  const { easyConnections } = databasePlanFacts[plan];
  return maxConnections > easyConnections ? [note('ManyConnections', { plan, easy: String(easyConnections) })] : [];
};
const changesOf = (before: DatabaseUpdate, after: DatabaseUpdate): PlanNote[] =>
  changeNotes(databaseLabels, settingsIn(before), settingsIn(after));
export const plan = {
  create: ({ names: { app = '' }, wanted }: { names: Readonly<Record<string, string>>; wanted: DatabaseCreate }): PlanParts => {
    const group = wanted.secretGroup ?? databaseGroupName(app, wanted.name);
    const made = { database: wanted.name, storage: String(wanted.storageGb), connections: String(wanted.maxConnections) };
    return {
      consequences: [
        note('MakesDatabase', made),
        note('MakesSecretGroup', { group }),
        ...wanted.attachTo.map((service) => note('AttachesToService', { service, group })),
      ],
      warnings: [note('StorageNeverShrinks'), ...warningsOf(wanted)],
      skips: ['RestoreRows', 'OpenReader', ...(wanted.attachTo.length === 0 ? ['AttachSecretGroups'] : [])],
    };
  },
  update: (before: Database, wanted: DatabaseUpdate): PlanParts => ({
    consequences: changesOf(before, wanted),
    warnings: [...(wanted.storageGb > before.storageGb ? [note('StorageNeverShrinks')] : []), ...warningsOf(wanted)],
  }),
  remove: ({ name, secretGroup, reader, active, backupRetentionDays }: Database): PlanParts => ({
    consequences: [
      note('DeletesDatabase', { database: name, group: secretGroup }),
      ...(reader ? [note('ClosesReader', { group: reader.secretGroup })] : []),
      ...(active ? [note('MakesLastBackup', { days: String(backupRetentionDays) })] : []),
    ],
    skips: active ? [] : ['BackUpDatabase'],
  }),
};
