/** Event streaming under the storm: an app of its own, whose topics come and go, an account whose password turns, and messages of a Kafka client. */
import { Kafka, logLevel, type Producer } from 'kafkajs';
import { applicationCreate } from '@slipway/contract/application.ts';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { accountCreate } from '@slipway/contract/streaming/account.ts';
import { AccountPassword, accountPasswordTake, accountRotate } from '@slipway/contract/streaming/account-password.ts';
import { schemaCreate } from '@slipway/contract/streaming/schema.ts';
import { physicalName } from '@slipway/contract/streaming/streaming.ts';
import { topicCreate, topicDelete, topicList, type Topic } from '@slipway/contract/streaming/topic.ts';
import { environment } from './storm-apps.ts';
import type { Random } from '#testing/storm/random.ts';
import type { StormClient } from './storm-client.ts';

const MOST_TOPICS = 5;
/** Written one after the other: each is acknowledged, or not, by itself. */
const AT_ONCE = 20;
const MESSAGES = 'messages';
const WRITER = 'writer';
const TURNING = 'turning';

const appOf = (prefix: string): string => `${prefix}-events`;
export const messageTopicOf = (prefix: string): string => physicalName(appOf(prefix), MESSAGES);
const letters = (count: number): string => String(count).replaceAll(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit)));

export class StormedStreaming {
  readonly #client: StormClient;
  readonly #random: Random;
  /** Its topics, its accounts and the stormed database belong to it. */
  readonly app: string;
  #count = 0;
  #producer: Producer | undefined;

  constructor(client: StormClient, random: Random) {
    this.#client = client;
    this.#random = random;
    this.app = appOf(client.platform.place.prefix);
  }

  /** Called before any kill. */
  async furnish(teamId: string): Promise<void> {
    const { journal, platform } = this.#client;
    const { kafkaPorts } = platform.place;
    await this.#made(
      'events.app',
      applicationCreate,
      { body: { id: this.app, displayName: 'Events', teamId } },
      `CreateApplication app:${this.app}`,
    );
    const content = JSON.stringify({ type: 'string' });
    await this.#made('schema', schemaCreate, { body: { name: 'text', content } }, this.#typed('CreateSchema', 'schema', 'text'));
    await this.#made('topic', topicCreate, { body: this.#wanted(MESSAGES) }, this.#typed('CreateTopic', 'topic', MESSAGES));
    const produceTopics = [{ resourceId: MESSAGES }];
    for (const name of [WRITER, TURNING])
      await this.#made('account', accountCreate, { body: { name, produceTopics } }, this.#typed('CreateAccount', 'account', name));
    const params = { app: this.app, env: environment, account: WRITER };
    const { body } = await this.#client.write('account.password', accountPasswordTake, { params }, {});
    const { user, password } = AccountPassword.parse(body);
    const sasl = { mechanism: 'scram-sha-512', username: user, password } as const;
    // A message whose answer is lost is given up: the journal says that nobody knows.
    const retry = { retries: 0 };
    const kafka = new Kafka({ brokers: [`127.0.0.1:${kafkaPorts[0]}`], sasl, logLevel: logLevel.NOTHING, retry, requestTimeout: 10_000 });
    this.#producer = kafka.producer({ retry });
    if (journal.of('account', 'acknowledged').length < 2) throw new Error('The accounts could not be made');
  }

  /** Makes one, or deletes one where there are many. */
  async topic(): Promise<void> {
    const params = { app: this.app, env: environment };
    const seen = await this.#client.read<{ content: Topic[] }>(topicList, params, { size: 100 });
    if (!seen) return;
    const others = seen.content.filter(({ name, can }) => name !== MESSAGES && can['delete'] === true);
    const old = seen.content.length > MOST_TOPICS ? this.#random.of(others)?.name : undefined;
    this.#count += 1;
    const name = old ?? `topic${letters(this.#count)}`;
    const type = old === undefined ? 'CreateTopic' : 'DeleteTopic';
    const about = { app: this.app, name, type, subject: `topic:${this.app}/${environment}/${name}` };
    if (old === undefined) await this.#client.write('topic', topicCreate, { params, body: this.#wanted(name) }, about);
    else await this.#client.write('topic.delete', topicDelete, { params: { ...params, topic: name } }, about);
  }

  /** At once: with overlap the next one would be refused for an hour. */
  async rotation(): Promise<void> {
    const params = { app: this.app, env: environment, account: TURNING };
    const about = { app: this.app, type: 'ReplaceAccountPassword', subject: `account:${this.app}/${environment}/${TURNING}` };
    await this.#client.write('account.rotation', accountRotate, { params, body: { overlapHours: 0 } }, about);
  }

  async messages(): Promise<void> {
    for (let written = 0; written < AT_ONCE; written += 1) {
      this.#count += 1;
      const name = `message-${this.#count}`;
      const { fate } = await this.#client.note('message', { app: this.app, name }, async () => {
        await this.#producer?.connect();
        const topic = messageTopicOf(this.#client.platform.place.prefix);
        await this.#producer?.send({ topic, acks: -1, messages: [{ key: name, value: name, partition: 0 }] });
        return {};
      });
      if (fate !== 'acknowledged') return;
    }
  }

  #wanted(name: string) {
    return { name, description: 'Of the storm', spec: { valueSchema: { resourceId: 'text' }, partitionNumber: 1 } };
  }
  #typed(type: string, kind: string, name: string): string {
    return `${type} ${kind}:${this.app}/${environment}/${name}`;
  }
  async #made(kind: string, route: RouteShape, asked: { readonly body: object }, typed: string): Promise<void> {
    const [type = '', subject = ''] = typed.split(' ');
    const params: Record<string, string> = kind === 'events.app' ? {} : { app: this.app, env: environment };
    const { entry } = await this.#client.write(kind, route, { params, ...asked }, { app: this.app, type, subject });
    if ((await this.#client.ended(entry)) !== 'COMPLETED') throw new Error(`${typed} failed: ${JSON.stringify(entry)}`);
  }
}
