/** The area of feature flags: management over the API, and delivery to SDKs. */
import { flagKeyRotate } from '@slipway/contract/flag/flag-key.ts';
import { flagPreview, flagSettingsUpdate, flagVersionList, flagVersionRestore } from '@slipway/contract/flag/flag.ts';
import { handle, type Handler } from '#kernel/http/handle.ts';
import type { Db } from '#db/database.ts';
import { requireEntity, resourceModule, type AreaOf } from '#modules/resources/index.ts';
import { readAppFlags } from './delivery/app-flags.sql.ts';
import { FlagDelivery } from './delivery/flag-delivery.ts';
import { flagMounts } from './delivery/flag-mount.ts';
import { previewOf } from './evaluate.ts';
import { flagEntity } from './flag-entity.ts';
import { restoreVersion, saveSettings, versionPage, type SettingsCall } from './flag-settings.ts';
import { flagGroupEntity } from './group-entity.ts';
import { flagKeyEntity, rotateKey } from './key-entity.ts';

const settingsRoutes = (db: Db): Handler[] => {
  const shown = (c: SettingsCall) => requireEntity(db, flagEntity, c.params, c.caller);
  const preview = async (c: SettingsCall & { readonly body: { readonly attributes: Record<string, unknown> } }) => {
    await shown(c);
    const { flags, groups } = await readAppFlags(db, c.params.app);
    const own = flags.filter(({ environment }) => environment === c.environment);
    return previewOf(c.params.flag, own, groups, c.body.attributes);
  };
  return [
    handle(flagSettingsUpdate, (c) => saveSettings(db, c, flagSettingsUpdate, c.body), shown),
    handle(flagVersionList, (c) => versionPage(db, c, c.query)),
    handle(flagVersionRestore, (c) => restoreVersion(db, c, flagVersionRestore, c.params.version, c.body.basedOn), shown),
    handle(flagPreview, preview, preview),
  ];
};

export const flagArea: AreaOf = ({ database: { db }, connection, engine, log }) => {
  const delivery = new FlagDelivery(db, log);
  const [flags, groups, keys] = [
    resourceModule({ db, engine }, flagEntity),
    resourceModule({ db, engine }, flagGroupEntity),
    resourceModule({ db, engine }, flagKeyEntity),
  ];
  const rotated = handle(
    flagKeyRotate,
    (c) => rotateKey(db, c, c.body.overlapHours),
    (c) => requireEntity(db, flagKeyEntity, c.params, c.caller),
  );
  return {
    routes: [...flags.routes, ...groups.routes, ...keys.routes, ...settingsRoutes(db), rotated],
    foundations: [{ start: () => delivery.start(connection), stop: () => delivery.close() }],
    adapters: flagMounts(delivery, log).map((mount) => ({ mount, close: async () => undefined })),
    metrics: () => [
      { name: 'slipway_flag_streams', help: 'Open streams of feature flags', type: 'gauge', samples: [[{}, delivery.streams.size]] },
    ],
  };
};
