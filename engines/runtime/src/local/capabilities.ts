/** Describes what each sandbox tier can and cannot do, as readable text. */
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { RuntimeCapabilities } from '@slipway/foundation/ports/runtime.ts';

const SHARED_NETWORK =
  'Network not isolated: instances share the loopback network of this machine and reach whatever listens on it. Services with sign-in are refused.';
const HOST = 'No isolation: instances run as ordinary processes of this machine and see its files. For development only.';
const OBSERVED = 'Memory limits are watched once a second, processor limits are not enforced.';

export function capabilitiesOf({ hasNetworks, limits, tier }: Sandbox, insideHosts: readonly string[]): RuntimeCapabilities {
  const warnings = [
    ...(tier === 'host' ? [HOST] : []),
    ...(hasNetworks ? [] : [SHARED_NETWORK]),
    ...(limits === 'observed' ? [OBSERVED] : []),
  ];
  const canYield = process.platform === 'linux';
  return {
    tier,
    isolation: tier === 'host' ? 'none' : 'namespace',
    limits,
    isNetworkIsolated: hasNetworks,
    insideHosts,
    spot: canYield ? 'yields first' : 'none',
    warning: warnings.length === 0 ? undefined : warnings.join(' '),
  };
}
