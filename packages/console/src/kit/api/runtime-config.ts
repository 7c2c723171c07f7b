/** The settings that the console gets from the server before it starts: API bases, sign-in, banners, links. */
import type { RuntimeConfig } from '@slipway/contract/platform.ts';

let current: RuntimeConfig | undefined;

export const setRuntimeConfig = (config: RuntimeConfig): void => {
  current = config;
};

export const runtimeConfig = (): RuntimeConfig => {
  if (!current) throw new Error('The runtime configuration is not loaded yet');
  return current;
};

/** Loads the settings; the request needs no token. */
export const loadRuntimeConfig = async (): Promise<RuntimeConfig> => {
  const response = await fetch('/runtime-config.json', { headers: { Accept: 'application/json' } });
  if (!response.ok) throw new Error(`The console's settings could not be read: ${response.status}`);
  const config = (await response.json()) as RuntimeConfig;
  setRuntimeConfig(config);
  return config;
};
