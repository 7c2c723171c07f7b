/**
 * Test files that `npm test` leaves to `npm run test:long`, so that it answers in some ten minutes. Each is a part of a path. What a file
 * here tries is either rare, or is met on the way by the tests of those who use it.
 */
export const longTests: readonly string[] = [
  // Grids of faults: every step of a pipeline fails, repeats and dies.
  'src/modules/databases/backups/restore-faults.test.ts',
  'src/modules/databases/database-faults.test.ts',
  'src/modules/quickstart/quickstart-faults.test.ts',
  'src/modules/services/pipelines/activation-faults.test.ts',
  'src/modules/services/pipelines/creation-faults.test.ts',
  'src/modules/services/pipelines/rollback-faults.test.ts',
  'src/modules/services/pipelines/rollout-faults.test.ts',
  'src/modules/services/pipelines/settings-faults.test.ts',
  'src/modules/streaming/accounts/account-faults.test.ts',
  'src/modules/streaming/streaming-faults.test.ts',
  'src/modules/streaming/streams/stream-faults.test.ts',
  // Whole programs that start, end and are killed.
  'src/adapters/registry-embedded/killed-registry.test.ts',
  'src/adapters/schema-registry-embedded/killed-schema-registry.test.ts',
  'src/adapters/streaming-kafka/hung-broker.test.ts',
  'src/backup/refusals.test.ts',
  'src/db/embedded-postgres.test.ts',
  'src/modules/container-registry/webhooks/delivery-kills.test.ts',
  'src/modules/pipelines/database-restart.test.ts',
  'src/modules/pipelines/take-over.test.ts',
  'src/modules/services/pipelines/rollout-outage.test.ts',
  'src/testing/backup.test.ts',
  'src/testing/broker-kills.test.ts',
  'src/testing/clients/snippets.test.ts',
  'src/testing/database-kills.test.ts',
  'src/testing/isolation.test.ts',
  'src/testing/outliving.test.ts',
  'src/testing/program.test.ts',
  'src/testing/replicas.test.ts',
  'src/testing/rollout-kills.test.ts',
  'src/testing/storm/',
  'src/testing/namesakes/',
  'src/testing/streaming-kills.test.ts',
  'scripts/examples.test.ts',
  'scripts/newcomer.test.ts',
  // Engines by themselves: the tests of modules use the same ones, for real.
  'src/adapters/builder-local/base-image.test.ts',
  'src/adapters/builder-local/local-builder.test.ts',
  'src/adapters/databases-embedded/',
  'src/adapters/kafka-broker/broker.test.ts',
  'src/adapters/kafka-broker/clients.test.ts',
  'src/adapters/oci/image-store.test.ts',
  'src/adapters/runtime-local/agent/',
  'src/adapters/runtime-local/holder.test.ts',
  'src/adapters/runtime-local/local-runtime.test.ts',
  'src/adapters/sandbox/sandbox.test.ts',
  'src/adapters/scanner-embedded/embedded-scanner.test.ts',
  'src/adapters/source-embedded/git-clients.test.ts',
  'src/adapters/streaming-embedded/',
  // What seldom happens, and takes its time to be known.
  'src/modules/databases/backups/backup-runner.test.ts',
  'src/modules/keys/',
  'src/modules/quickstart/engine-refusals.test.ts',
  'src/modules/quickstart/quickstart-failures.test.ts',
  'src/modules/runtime/autoscaler.test.ts',
  'src/modules/runtime/leader-tasks.test.ts',
  'src/modules/secret-groups/planted-values.test.ts',
  'src/modules/services/diagnosis/diagnosis.test.ts',
  'src/modules/services/messages.test.ts',
  'src/modules/services/pipelines/allowed-image.test.ts',
  'src/modules/services/repository/image-policy.test.ts',
  'src/modules/services/settings/settings-effects.test.ts',
  'src/modules/services/settings/sign-in-networks.test.ts',
  // Attacks that wait for a limit, or begin programs.
  'src/testing/attacks/build-disk.test.ts',
  'src/testing/attacks/database-door.test.ts',
  'src/testing/attacks/database-outage.test.ts',
  'src/testing/attacks/databases.test.ts',
  'src/testing/attacks/disk-floor.test.ts',
  'src/testing/attacks/embedded-crash.test.ts',
  'src/testing/attacks/false-starts.test.ts',
  'src/testing/attacks/floods.test.ts',
  'src/testing/attacks/idempotency-outage.test.ts',
  'src/testing/attacks/image-bombs.test.ts',
  'src/testing/attacks/network.test.ts',
  'src/testing/attacks/node-agent.test.ts',
  'src/testing/attacks/outgoing.test.ts',
  'src/testing/attacks/pushed-packs.test.ts',
  'src/testing/attacks/sandbox.test.ts',
  // Tables of many rows.
  'src/modules/container-registry/images/image-costs.test.ts',
  'src/modules/container-registry/webhooks/delivery-log.test.ts',
  'src/modules/pipelines/subject-migration.test.ts',
  'src/testing/list-costs.test.ts',
];

/** Of these grids `npm test` tries a share (testing/faults/fault-share.ts). */
export const sharedTests: readonly string[] = ['src/modules/pipelines/pipeline-faults.test.ts'];

/** Files of journeys in the browser whose tests follow from one another, or look at every screen. */
const longFiles = [
  'databases',
  'failures',
  'registry',
  'revisions',
  'screens',
  'streaming',
  'streaming-accounts',
  'streaming-details',
  'streaming-keyboard',
];
/** For Playwright's `--grep`: those files, and what is tagged in others. */
export const longJourneys = `@long|\\b(${longFiles.join('|')})\\.spec\\.ts`;
