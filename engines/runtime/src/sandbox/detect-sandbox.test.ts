/** A tier that another process tried is used without a new trial. All other tiers are tried. */
import { expect, test, vi } from 'vitest';
import { detectSandbox } from './detect-sandbox.ts';
import { StagedSandbox } from './staged-sandbox.ts';

test.runIf(process.platform === 'linux')('a tier that was tried is taken without another trial, any other is tried', async () => {
  const { tier } = await detectSandbox();
  const spawns = vi.spyOn(StagedSandbox.prototype, 'spawn');
  expect((await detectSandbox({ tried: tier })).tier).toBe(tier);
  expect(spawns).not.toHaveBeenCalled();
  expect((await detectSandbox({ only: tier })).tier).toBe(tier);
  expect(spawns).toHaveBeenCalledTimes(tier === 'host' ? 0 : 1);
});

test.skipIf(process.platform === 'linux')('a tier that this system has not got is refused, whoever names it', async () => {
  await expect(detectSandbox({ tried: 'unshare' })).rejects.toThrow('does not work');
});
