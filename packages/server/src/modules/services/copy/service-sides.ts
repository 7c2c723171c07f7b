/** A service in development beside the one of the same name in production, for the promotion of its app. */
import { carriedOnDemand } from '@slipway/contract/service/service-operations.ts';
import { serviceChanges } from '@slipway/contract/service/settings-diff.ts';
import type { Db } from '#db/database.ts';
import { Problem } from '#kernel/problem.ts';
import { areReadableSettings } from '#modules/runtime/index.ts';
import { changeText } from '../settings/change-text.ts';
import { settingsOf } from '../settings/settings.sql.ts';
import { servingRevision } from '../settings/state.sql.ts';
import { serviceRow } from '../services.sql.ts';

export interface ServiceSides {
  readonly isThere: boolean;
  /** From production to development, without what belongs to the service itself. None if production has no such service. */
  readonly changes: readonly {
    readonly path: string;
    readonly label: string;
    readonly before: string | null;
    readonly after: string | null;
  }[];
  /** The tags that serve. Null if they are the same, or development runs none. */
  readonly image: { readonly before: string | null; readonly after: string } | null;
  /** Differs after a change of either side. */
  readonly seen: unknown;
}

export const serviceSides = async (db: Db, app: string, service: string): Promise<ServiceSides> => {
  const here = await serviceRow(db, { app, environment: 'development', service });
  const there = await serviceRow(db, { app, environment: 'production', service });
  if (!here) throw new Problem('ServiceDoesNotExist');
  if (![here, there ?? here].every((row) => areReadableSettings(row))) throw new Problem('SettingsUnreadable');
  const [serves, runs] = [await servingRevision(db, here), there && (await servingRevision(db, there))];
  const changes = there ? serviceChanges(settingsOf(there), settingsOf(here)) : [];
  const isSame = serves === undefined || serves.imageDigest === runs?.imageDigest;
  return {
    isThere: there !== undefined,
    changes: changes
      .filter(({ path }) => !carriedOnDemand.includes(path))
      .map(({ path, label, unit, before, after }) => ({
        path,
        label,
        before: changeText(path, before, unit),
        after: changeText(path, after, unit),
      })),
    image: isSame ? null : { before: runs?.imageTag ?? null, after: serves.imageTag },
    seen: [here.id, here.settings_version, serves?.id, there?.id, there?.settings_version, runs?.id],
  };
};
