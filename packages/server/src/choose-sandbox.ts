/**
 * Selects this machine's sandbox. In production, services of the embedded runtime need one that isolates them. With clusters only builds use
 * it, and the builder itself rejects what needs a sandbox.
 */
import { detectSandbox } from '@slipway/runtime/sandbox/detect-sandbox.ts';
import type { Sandbox } from '@slipway/runtime/sandbox/sandbox.ts';
import { type Config, ConfigError } from '#kernel/config.ts';

type Asked = Pick<Config, 'mode' | 'allowances' | 'runtime'>;

export const weaknessOf = ({ hasNetworks, tier }: Pick<Sandbox, 'hasNetworks' | 'tier'>): string | undefined => {
  if (tier === 'host') return 'This machine offers no sandbox, and plain host processes are refused in production.';
  return hasNetworks ? undefined : 'Without root the sandbox cannot keep services apart by network, which is refused in production.';
};

export const refuseWeak = (sandbox: Pick<Sandbox, 'hasNetworks' | 'tier'>, { mode, allowances, runtime }: Asked): void => {
  const weakness = weaknessOf(sandbox);
  if (weakness !== undefined && runtime.kind === 'embedded' && mode === 'production' && !allowances.hostRuntime)
    throw new ConfigError(`${weakness} Set SLIPWAY_ALLOW_HOST_RUNTIME=yes to allow it.`);
};

export const chooseSandbox = async (config: Asked): Promise<Sandbox> => {
  const sandbox = await detectSandbox();
  refuseWeak(sandbox, config);
  return sandbox;
};
