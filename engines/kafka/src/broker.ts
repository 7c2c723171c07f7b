/** The broker: its environments and their shared resources. */
import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { mapLimited } from '@slipway/foundation/map-limited.ts';
import { startAccess } from './access/start-access.ts';
import { startEnvironment, type Environment } from './environment.ts';
import { startGroups } from './groups/start-groups.ts';
import { Flusher } from './log/flusher.ts';
import { OpenFiles } from './log/open-files.ts';
import type { LogTools } from './log/partition-log.ts';
import { Turns } from './log/records/turns.ts';
import { BufferRoom } from './network/frames.ts';
import { limits } from './network/limits.ts';
import type { BrokerOptions, BrokerReady } from './program.ts';

export interface Broker {
  readonly ready: BrokerReady;
  close(): Promise<void>;
}

export const startBroker = async (options: BrokerOptions, log: LogTools['log']): Promise<Broker> => {
  const { directory, host, admin, floorBytes } = options;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await chmod(directory, 0o700);
  const files = new OpenFiles();
  const turns = new Turns();
  const flusher = new Flusher(options.flushMs, (file, error) => log('warn', 'a file could not be flushed', { file, error: String(error) }));
  const room = new BufferRoom(limits.bufferedBytes);
  const environments: Environment[] = [];
  for (const environment of options.environments) {
    const tools: LogTools = {
      files,
      turns,
      flusher,
      now: Date.now,
      log: (level, message, detail) => log(level, message, { environment: environment.name, ...detail }),
    };
    const at = { ...environment, directory: path.join(directory, environment.name), host, admin, floorBytes };
    environments.push(await startEnvironment(at, { tools, room, startAccess, startGroups }));
  }
  const close = async (): Promise<void> => {
    await mapLimited(environments, (environment) => environment.close());
    files.closeAll();
  };
  return { ready: { ready: true, environments: environments.map(({ name, port }) => ({ name, port })) }, close };
};
