/** Test files that `npm test` leaves out, or tries a share of, and `npm run test:long` runs whole. Each is a part of a path. */

/** Whole programs that start and are killed, attacks that wait for limits, and tables of many rows: minutes for few answers that change. */
export const longTests: readonly string[] = [
  'src/adapters/kafka-broker/clients.test.ts',
  'src/adapters/registry-embedded/killed-registry.test.ts',
  'src/backup/refusals.test.ts',
  'src/modules/container-registry/webhooks/delivery-kills.test.ts',
  'src/modules/pipelines/subject-migration.test.ts',
  'src/modules/services/pipelines/rollout-outage.test.ts',
  'src/testing/attacks/build-disk.test.ts',
  'src/testing/attacks/database-outage.test.ts',
  'src/testing/attacks/embedded-crash.test.ts',
  'src/testing/attacks/false-starts.test.ts',
  'src/testing/attacks/image-bombs.test.ts',
  'src/testing/attacks/network.test.ts',
  'src/testing/attacks/node-agent.test.ts',
  'src/testing/attacks/sandbox.test.ts',
  'src/testing/backup.test.ts',
  'src/testing/broker-kills.test.ts',
  'src/testing/database-kills.test.ts',
  'src/testing/list-costs.test.ts',
  'src/testing/outliving.test.ts',
  'src/testing/replicas.test.ts',
  'src/testing/rollout-kills.test.ts',
  'src/testing/storm/',
  'src/testing/streaming-kills.test.ts',
  'scripts/examples.test.ts',
  'scripts/newcomer.test.ts',
];

/** Grids, of which `npm test` tries a share (testing/faults/fault-share.ts). */
export const sharedTests: readonly string[] = ['faults.test.ts'];
