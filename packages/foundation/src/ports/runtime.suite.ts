/**
 * Tests for every runtime adapter. An adapter's test calls `runtimeSuite` with a factory for the runtime and an image of `SAMPLE_PROGRAM`.
 */
import { afterAll, beforeAll, describe } from 'vitest';
import { accessTests } from './runtime.suite-access.ts';
import { edgeTests } from './runtime.suite-edge.ts';
import { healthTests } from './runtime.suite-health.ts';
import { lifeTests } from './runtime.suite-life.ts';
import { logTests } from './runtime.suite-logs.ts';
import { settingsTests } from './runtime.suite-settings.ts';
import { SuiteRuntime, type RuntimeSubject } from './runtime.suite-runtime.ts';

/** Tests wait for processes to start, which takes long on a busy machine. */
const TIMEOUT_MS = 60_000;

export function runtimeSuite(name: string, makeRuntime: () => Promise<RuntimeSubject>): void {
  describe(name, { timeout: TIMEOUT_MS }, () => {
    const held: { suite?: SuiteRuntime } = {};
    beforeAll(async () => {
      held.suite = new SuiteRuntime(await makeRuntime());
      await held.suite.runtime.acquire();
      await held.suite.runtime.routesComplete([]);
    }, TIMEOUT_MS);
    afterAll(async () => held.suite?.close(), TIMEOUT_MS);
    const suite = (): SuiteRuntime => held.suite!;
    lifeTests(suite);
    healthTests(suite);
    edgeTests(suite);
    accessTests(suite);
    logTests(suite);
    settingsTests(suite);
  });
}
