/** Schema registry settings of the environment: embedded, or an operator's for each environment. */
import type { Variables } from './config/settings.ts';
import { ConfigError } from './config-error.ts';

interface OutsideRegistry {
  /** Without a trailing slash. */
  readonly url: string;
  readonly authorization: string | undefined;
}
export type SchemaRegistryConfig =
  | { readonly kind: 'embedded' }
  | { readonly kind: 'http'; readonly registries: Partial<Readonly<Record<'development' | 'production', OutsideRegistry>>> };

type Suffix = 'DEVELOPMENT' | 'PRODUCTION';

const registryOf = (data: Variables, suffix: Suffix): OutsideRegistry | undefined => {
  const url = data[`SLIPWAY_SCHEMA_REGISTRY_URL_${suffix}`]?.replace(/\/+$/, '');
  const authorization = data[`SLIPWAY_SCHEMA_REGISTRY_AUTHORIZATION_${suffix}`];
  if (url !== undefined) return { url, authorization };
  if (authorization !== undefined)
    throw new ConfigError(`SLIPWAY_SCHEMA_REGISTRY_AUTHORIZATION_${suffix} is for SLIPWAY_SCHEMA_REGISTRY_URL_${suffix}`);
  return undefined;
};

export const schemaRegistryOf = (data: Variables): SchemaRegistryConfig => {
  const [development, production] = [registryOf(data, 'DEVELOPMENT'), registryOf(data, 'PRODUCTION')];
  if (data.SLIPWAY_SCHEMA_REGISTRY === 'embedded') {
    if (development ?? production) throw new ConfigError('SLIPWAY_SCHEMA_REGISTRY_URL_… is for SLIPWAY_SCHEMA_REGISTRY=http');
    return { kind: 'embedded' };
  }
  if (!development && !production)
    throw new ConfigError(
      'SLIPWAY_SCHEMA_REGISTRY=http needs the registry of at least one environment: SLIPWAY_SCHEMA_REGISTRY_URL_DEVELOPMENT, say',
    );
  if (development?.url === production?.url)
    throw new ConfigError(
      'SLIPWAY_SCHEMA_REGISTRY_URL_DEVELOPMENT and SLIPWAY_SCHEMA_REGISTRY_URL_PRODUCTION are the same: subjects of both have the same names',
    );
  return { kind: 'http', registries: { ...(development ? { development } : {}), ...(production ? { production } : {}) } };
};
