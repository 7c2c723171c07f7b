/** Settings for tests: those of a new service, with overrides. */
import type { SettingsFacts } from '@slipway/contract/service/service-rules.ts';
import type { ServiceSettings } from '@slipway/contract/service/service-settings.ts';
import { newServiceSpec, type EnvVar } from '@slipway/contract/service/service-spec.ts';
import { withValue } from './draft.ts';

export const imagePrefix = 'registry.example.com/berth/';

/** `values`: path → value. */
export const settingsWith = (values: Readonly<Record<string, unknown>> = {}): ServiceSettings =>
  Object.entries(values).reduce((settings, [path, value]) => withValue(settings, path, value), {
    githubRepositoryName: null,
    active: true,
    spec: newServiceSpec(`${imagePrefix}berth-api`),
  } as ServiceSettings);

export const variable = (name: string, value: string): EnvVar => ({ name, source: 'STATIC', value });

export const facts: SettingsFacts = {
  imagePrefix,
  secretGroups: new Map([['orders', ['db-url', 'tls.key']]]),
  appliedBasePath: null,
  hasVaultProxy: false,
  insideHosts: [],
  isNetworkIsolated: true,
};
