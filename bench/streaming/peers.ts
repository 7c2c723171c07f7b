/**
 * The two brokers of the bench, each as it is used: the embedded one started as the platform starts it, and one node of Apache Kafka with what
 * Kafka's own scripts and defaults give it. Both take the same sign-in and ask the same rules, and both leave the time of flushing to the system.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { brokerProgram } from '../../engines/kafka/src/program.ts';
import { EmbeddedBroker } from '../../packages/server/src/adapters/streaming-embedded/embedded-broker.ts';
import { ConfiguredClusters } from '../../packages/server/src/adapters/streaming-kafka/configured-clusters.ts';
import { KafkaStreaming } from '../../packages/server/src/adapters/streaming-kafka/kafka-streaming.ts';
import { createLog } from '@slipway/foundation/log.ts';
import type { Streaming } from '../../packages/foundation/src/ports/streaming.ts';
import { engineIn } from '../../scripts/test-runs/engines-kit.ts';

export interface Peer {
  readonly name: string;
  /** As the platform asks it; another one after each start. */
  readonly streaming: Streaming;
  pid(): number;
  start(): Promise<void>;
  /** In order; its data stay. */
  stop(): Promise<void>;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
}
const START_MS = 180_000;
const LOOK_MS = 200;
const password = 'the-password-of-the-bench-itself';
const folderOf = (name: string): string => {
  const folder = mkdtempSync(join(tmpdir(), `slipway-bench-${name}-`));
  // Under root the embedded broker is another user.
  chmodSync(folder, 0o711);
  return folder;
};

const commandOf = (pid: number | string): string[] => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
/** A child of `parent` that runs our broker. */
export const brokerPidBelow = (parent: number): number => {
  const found = readdirSync('/proc').find((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const isChild = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent;
      return isChild && commandOf(pid).some((word) => word.endsWith('broker-main.ts'));
    } catch {
      return false;
    }
  });
  return Number(found ?? 0);
};

export const embeddedPeer = async (port: number): Promise<Peer> => {
  const folder = folderOf('embedded');
  const open = (): KafkaStreaming => {
    const source = new EmbeddedBroker({
      dataDir: join(folder, 'streaming'),
      program: brokerProgram,
      host: '127.0.0.1',
      ports: { development: port, production: port + 1 },
      advertisedHost: '127.0.0.1',
      adminPassword: async () => password,
      log: createLog('error'),
    });
    return new KafkaStreaming({ kind: 'embedded', source });
  };
  let streaming = open();
  const peer: Peer = {
    name: 'embedded broker',
    get streaming() {
      return streaming;
    },
    pid: () => brokerPidBelow(process.pid),
    start: async () => {
      streaming = open();
      await streaming.cluster('development');
    },
    stop: () => streaming.close(),
    remove: async () => {
      await streaming.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await peer.start();
  return peer;
};

/**
 * Settings that Apache Kafka ships with, from kafka-server-start.sh, kafka-run-class.sh and server.properties. They replace the kit's
 * settings, which save resources where they can.
 */
const asShipped = {
  KAFKA_HEAP: '1g',
  KAFKA_JVM_OPTS:
    '-server -XX:+UseG1GC -XX:MaxGCPauseMillis=20 -XX:InitiatingHeapOccupancyPercent=35 -XX:+ExplicitGCInvokesConcurrent -XX:+ExitOnOutOfMemoryError',
  KAFKA_EXTRA: 'num.network.threads=3;num.io.threads=8;log.cleaner.dedupe.buffer.size=134217728',
};

/** Once the kit has made and started it, it is started again by the same command, without the kit's own checks. */
export const apachePeer = async (port: number): Promise<Peer> => {
  const folder = folderOf('kafka');
  const engine = engineIn(folder, 'kafka', { ...asShipped, KAFKA_PORT: String(port) });
  if (!engine.up()) throw new Error('Apache Kafka did not start');
  const state = join(folder, 'state/kafka');
  const madePid = Number(readFileSync(join(state, 'pid/broker-1'), 'utf8').split(' ')[0]);
  const [program = '', ...args] = commandOf(madePid);
  const admin = readFileSync(join(state, 'secret-admin'), 'utf8').trim();
  const source = new ConfiguredClusters({
    development: {
      brokers: [{ host: '127.0.0.1', port }],
      user: 'admin',
      password: admin,
      mechanism: 'SCRAM-SHA-512',
      tls: 'none',
    },
  });
  let streaming = new KafkaStreaming({ kind: 'kafka', source });
  let again: ChildProcess | undefined;
  const end = async (): Promise<void> => {
    await streaming.close();
    if (again) {
      const ended = once(again, 'exit');
      again.kill();
      await ended;
    } else {
      process.kill(madePid);
      // Not our child: it is gone when nothing can be asked of it.
      while (isThere(madePid)) await delay(20);
    }
  };
  return {
    name: 'Apache Kafka',
    get streaming() {
      return streaming;
    },
    pid: () => again?.pid ?? madePid,
    start: async () => {
      again = spawn(program, args, { stdio: 'ignore' });
      const deadline = performance.now() + START_MS;
      for (;;) {
        streaming = new KafkaStreaming({ kind: 'kafka', source });
        try {
          await streaming.cluster('development');
          return;
        } catch (error) {
          if (performance.now() > deadline) throw error;
          await streaming.close();
          await delay(LOOK_MS);
        }
      }
    },
    stop: end,
    remove: async () => {
      await end();
      engine.down();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
const isThere = (pid: number): boolean => {
  try {
    return commandOf(pid).length > 0;
  } catch {
    return false;
  }
};
