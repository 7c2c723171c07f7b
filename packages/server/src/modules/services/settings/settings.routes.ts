/** Paths of a service's settings, and of the way back to earlier ones. */
import { serviceRollback, serviceSettingsView, serviceUpdate } from '@slipway/contract/service-change.ts';
import { handle, type Handler } from '#kernel/http/handle.ts';
import { rollbackService } from '../revisions/rollback.ts';
import type { ServiceKey } from '../services.sql.ts';
import { settingsView, updateService, type SettingsDeps } from './settings.ts';

type Path = { params: { app: string; service: string }; environment: ServiceKey['environment'] };
const keyOf = (c: Path): ServiceKey => ({ app: c.params.app, environment: c.environment, service: c.params.service });

export const settingsRoutes = (deps: SettingsDeps): Handler[] => [
  handle(serviceSettingsView, (c) => settingsView(deps, keyOf(c))),
  handle(serviceUpdate, (c) => {
    const { settingsVersion: version, ...settings } = c.body;
    return updateService(deps, c.caller, { key: keyOf(c), isDryRun: c.query.dryRun }, { settings, version });
  }),
  handle(serviceRollback, (c) => rollbackService(deps, c.caller, { key: keyOf(c), isDryRun: c.query.dryRun }, c.body)),
];
