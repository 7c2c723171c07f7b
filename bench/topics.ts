/**
 * Rounds, lists and messages where much exists: 10,000 topics and 1,000 accounts in one app, and 10 million messages in one topic, unless
 * `--topics N`, `--accounts N` and `--messages N` say otherwise. `--kafka '{…}'` takes an Apache Kafka instead of our own broker.
 */
import { parseArgs } from 'node:util';
import { fillCluster } from './topics/fill-cluster.ts';
import { measureLists } from './topics/lists.ts';
import { measureMessages } from './topics/messages.ts';
import { measureRounds } from './topics/rounds.ts';
import { openScene } from './topics/scene.ts';

const FOUND_SECONDS = 60;
const TARGET_MS = 200;
const LIST_MS = 50;

export async function run(): Promise<void> {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: {
      topics: { type: 'string', default: '10000' },
      accounts: { type: 'string', default: '1000' },
      messages: { type: 'string', default: '10000000' },
      kafka: { type: 'string' },
    },
  });
  const [topics, accounts, messages] = [Number(values.topics), Number(values.accounts), Number(values.messages)];
  const scene = await openScene({ topics, accounts, kafka: values.kafka });
  try {
    const lists = await measureLists(scene);
    console.table(lists.figures);
    const startedAt = performance.now();
    await fillCluster(scene);
    console.log(`${topics} topics and ${accounts} accounts made in ${Math.round((performance.now() - startedAt) / 1000)} s`);
    const { rounds, found } = await measureRounds(scene);
    console.table(rounds);
    const browsed = await measureMessages(scene, messages);
    console.table(browsed.figures);
    const isMet = found <= FOUND_SECONDS && lists.worst <= LIST_MS && browsed.worst <= TARGET_MS;
    console.log(
      `topics@${topics} drift found=${found}s lists worst p95=${lists.worst}ms messages@${messages} worst p95=${browsed.worst}ms` +
        ` memory=${browsed.memoryMiB}MiB${isMet ? '' : ' missed'}`,
    );
    if (!isMet) process.exitCode = 1;
  } finally {
    await scene.close();
  }
}
