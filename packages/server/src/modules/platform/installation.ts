/** Settings of the installation: one row that administrators replace, with the defaults before the first write. */
import { sql } from 'kysely';
import * as z from 'zod/mini';
import { InstallationSettings, type Installation } from '@slipway/contract/installation.ts';
import type { RuntimeConfig } from '@slipway/contract/platform.ts';
import { transaction, type Db } from '#db/database.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { recordWrite } from '#modules/activity/index.ts';
import { keptReading } from './kept-reading.ts';

const defaults: InstallationSettings = {
  announcements: [],
  company: 'Norrland Line',
  footer: {},
  supportUrl: null,
  feedbackUrl: null,
  feedbackScriptUrl: null,
  analyticsScriptUrl: null,
  analyticsProjectId: null,
  portalUrl: null,
};
const unwritten: Installation = { ...defaults, revision: 0, updatedAt: null, updatedBy: null };

/** Settings that a newer version wrote and this one cannot read are replaced by the defaults: the console must always load. */
export const installation = async (db: Db): Promise<Installation> => {
  const row = await db.selectFrom('installation_setting').selectAll().executeTakeFirst();
  if (!row) return unwritten;
  const settings = { ...defaults, ...z.safeParse(InstallationSettings, row.settings).data };
  const updatedBy = { id: row.updated_by, displayName: row.updated_by_name };
  return { ...settings, revision: row.revision, updatedAt: row.updated_at.toISOString(), updatedBy };
};

/** Returns the session analytics tool. It starts only if a project is configured. */
export const analyticsOf = ({ analyticsScriptUrl, analyticsProjectId }: InstallationSettings): RuntimeConfig['analytics'] =>
  analyticsScriptUrl && analyticsProjectId
    ? { scriptUrl: analyticsScriptUrl.replaceAll('{projectId}', encodeURIComponent(analyticsProjectId)), projectId: analyticsProjectId }
    : null;

/** Returns the origins whose scripts the console loads. Its content security policy allows no others. */
export const scriptOrigins = async (db: Db): Promise<readonly string[]> => {
  const settings = await installation(db);
  const scripts = [settings.feedbackScriptUrl, analyticsOf(settings)?.scriptUrl];
  return [...new Set(scripts.flatMap((url) => (url && URL.canParse(url) ? [new URL(url).origin] : [])))];
};

/** Everybody may load the page, so its settings are read once in this time. */
const KEPT_MS = 1000;
export const keptScriptOrigins = (db: Db): (() => Promise<readonly string[]>) => {
  const read = keptReading(KEPT_MS, () => scriptOrigins(db));
  return async () => (await read(undefined)).value;
};

/** Throws SettingsChangedMeanwhile unless `revision` is the current one. */
export const setInstallation = (
  db: Db,
  caller: Caller,
  { revision, ...wanted }: InstallationSettings & { revision: number },
): Promise<Installation> =>
  transaction(db, async (trx) => {
    // Clients of before do not know every setting. What they omit is unchanged.
    const { revision: _revision, updatedAt: _at, updatedBy: _by, ...known } = await installation(trx);
    const settings = { ...known, ...wanted };
    const by = { updated_by: caller.id, updated_by_name: caller.displayName };
    const written = await trx
      .insertInto('installation_setting')
      .columns(['settings', 'revision', 'updated_by', 'updated_by_name'])
      // Only the first write inserts, and only if the caller has read the defaults.
      .expression(sql`select ${JSON.stringify(settings)}::jsonb, ${revision}::integer + 1, ${caller.id}, ${caller.displayName}
        where ${revision} = 0 or exists (select from installation_setting)`)
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet({ settings: JSON.stringify(settings), revision: revision + 1, updated_at: sql`clock_timestamp()`, ...by })
          .where('installation_setting.revision', '=', revision),
      )
      .returning('revision')
      .executeTakeFirst();
    if (!written) throw new Problem('SettingsChangedMeanwhile');
    await recordWrite(trx, caller, {
      type: 'installationUpdate',
      reason: 'Updated',
      message: `${caller.displayName} changed the settings of the installation`,
      after: settings,
    });
    return installation(trx);
  });
