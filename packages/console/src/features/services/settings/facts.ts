/** What the rules between fields must know beside the settings, taken from what the screen was told. */
import type { ServiceSettingsView } from '@slipway/contract/service-change.ts';
import type { SettingsFacts } from '@slipway/contract/service-rules.ts';

export const factsOf = (view: ServiceSettingsView): SettingsFacts => ({
  imagePrefix: view.imagePrefix,
  secretGroups: new Map(view.secretGroups.map(({ name, keys }) => [name, keys])),
  appliedBasePath: view.appliedBasePath,
  hasVaultProxy: view.engine.hasVaultProxy,
  isNetworkIsolated: view.engine.isNetworkIsolated,
});
