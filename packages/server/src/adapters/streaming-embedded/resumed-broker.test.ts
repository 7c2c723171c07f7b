// @long: tries an engine by itself, which the tests of modules use, too
/** A platform with topics starts its broker at startup and stops it however the platform ends. */
import { chmodSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { test } from 'vitest';
import { freePort } from '#testing/free-port.ts';
import { PATIENCE_MS } from '#testing/patience.ts';
import { Program, removeData } from '#testing/program.ts';
import { answersInTime } from './broker-health.ts';

test('starts with the platform that has needed it before, and ends with it, also by kill -9', { timeout: PATIENCE_MS * 2 }, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipway-resumed-'));
  chmodSync(dataDir, 0o711);
  const [development, production] = [await freePort(), await freePort()];
  const env = {
    SLIPWAY_DATA: dataDir,
    SLIPWAY_INGRESS_PORT: String(await freePort()),
    SLIPWAY_KAFKA_PORT_DEVELOPMENT: String(development),
    SLIPWAY_KAFKA_PORT_PRODUCTION: String(production),
  };
  const answers = async (port: number, isUp: boolean): Promise<void> => {
    while ((await answersInTime({ host: '127.0.0.1', port })) !== isUp) await delay(50);
  };
  // Simulates the state after a topic was created earlier.
  mkdirSync(join(dataDir, 'streaming/broker'), { recursive: true });
  const first = await Program.start(await freePort(), env);
  await Promise.all([answers(development, true), answers(production, true)]);
  await first.end('SIGKILL');
  await answers(development, false);
  const second = await Program.start(await freePort(), env);
  await answers(development, true);
  await second.end('SIGTERM');
  await answers(development, false);
  await removeData(dataDir);
});
