/** Exports a service as service.yaml and changes it from one. Each error names its line in the file. */
import { Problem } from '#kernel/problem.ts';
import type { Pinned, Prepare } from '../operation.ts';
import { requireService, type By } from '../service-context.ts';
import type { ServiceKey } from '../services.sql.ts';
import { settingsOf } from '../settings/settings.sql.ts';
import { prepareUpdate, type SettingsDeps } from '../settings/settings.ts';
import { readYaml, withLine, type SettingsFile } from './yaml-read.ts';
import { yamlOf } from './yaml-write.ts';

export const yamlText = async ({ db }: SettingsDeps, key: ServiceKey): Promise<string> =>
  yamlOf(key, settingsOf(await requireService(db, key)));

const withLines = async <T>(lineOf: SettingsFile['lineOf'], check: () => Promise<T>): Promise<T> => {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof Problem) || !error.errors.some(({ field }) => field)) throw error;
    throw Problem.fields(error.errors.map((one) => withLine(one, lineOf)));
  }
};

/** Prepares a settings change based on the current settings. Throws SettingsChangedMeanwhile if they change in between. */
export const prepareYaml = async (deps: SettingsDeps, by: By, key: ServiceKey, sent: { yaml: string } & Pinned): Promise<Prepare> => {
  const row = await requireService(deps.db, key);
  const { settings, lineOf } = await readYaml(sent.yaml, key, settingsOf(row));
  const wanted = { settings, version: row.settings_version, isPinned: sent.isPinned };
  const prepare = await withLines(lineOf, () => prepareUpdate(deps, by, key, wanted));
  return (trx) => withLines(lineOf, () => prepare(trx));
};
