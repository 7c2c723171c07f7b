/** Production requires a sandbox that isolates services by network, or explicit consent. */
import { expect, test } from 'vitest';
import { readConfig } from '#kernel/config.ts';
import { refuseWeak } from './choose-sandbox.ts';

const allowances = { hostRuntime: false, fileKeys: false, demo: false };
const start =
  (sandbox: Parameters<typeof refuseWeak>[0], mode: 'production' | 'development', hostRuntime = false) =>
  () =>
    refuseWeak(sandbox, { mode, allowances: { ...allowances, hostRuntime }, runtime: { kind: 'embedded' } });
const weak = [
  { tier: 'host', hasNetworks: false },
  { tier: 'oci', hasNetworks: false },
  { tier: 'bubblewrap', hasNetworks: false },
  { tier: 'unshare', hasNetworks: false },
] as const;

test.each(weak)('$tier without networks is refused in production, with the variable that allows it', (sandbox) => {
  expect(start(sandbox, 'production')).toThrow(/SLIPWAY_ALLOW_HOST_RUNTIME=yes/);
  expect(start(sandbox, 'production', true)).not.toThrow();
  expect(start(sandbox, 'development')).not.toThrow();
});

test.each(['oci', 'bubblewrap', 'unshare'] as const)('%s with networks is taken', (tier) => {
  expect(start({ tier, hasNetworks: true }, 'production')).not.toThrow();
});

test('services on a cluster need no sandbox of this machine', () => {
  const { runtime } = readConfig({ SLIPWAY_RUNTIME: 'kubernetes', SLIPWAY_KUBERNETES_EDGE_SOURCES: '10.0.0.1' });
  for (const sandbox of weak) expect(() => refuseWeak(sandbox, { mode: 'production', allowances, runtime })).not.toThrow();
});
