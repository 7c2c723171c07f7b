/** A client as applications use it, for the port's suite: signs in as an account, and fails with Kafka's names for errors. */
import { setTimeout as delay } from 'node:timers/promises';
import { Consumer, Producer, stringDeserializers, stringSerializers } from '@platformatic/kafka';
import type { StreamingConnection } from '#ports/streaming.ts';
import type { Login, StreamingClient } from '#ports/streaming.suite.ts';

const OPTIONS = { retries: 0, connectTimeout: 10_000, requestTimeout: 20_000, timeout: 15_000 };
const READ_MS = 30_000;

/** `groupProtocol`: `consumer` is the newer protocol (KIP-848). */
export function kafkaClient(
  { bootstrapServers, mechanism, securityProtocol, certificateAuthority }: StreamingConnection,
  groupProtocol: 'classic' | 'consumer' = 'classic',
): StreamingClient {
  const optionsOf = ({ user, password }: Login) => ({
    ...OPTIONS,
    clientId: 'suite',
    bootstrapBrokers: bootstrapServers.map(({ host, port }) => `${host}:${port}`),
    sasl: { mechanism, username: user, password },
    ...(securityProtocol === 'SASL_SSL' ? { tls: certificateAuthority ? { ca: certificateAuthority } : {} } : {}),
  });
  return {
    async produce(as, topic, messages) {
      const producer = new Producer({ ...optionsOf(as), serializers: stringSerializers, autocreateTopics: false });
      try {
        for (const { key, value, compression = 'none' } of messages)
          await producer.send({ messages: [{ topic, value, ...(key === undefined ? {} : { key }) }], compression, acks: -1 });
      } catch (error) {
        throw named(error);
      } finally {
        await producer.close();
      }
    },
    consume: (as, topic, group, count, whileMember) =>
      onceCoordinated(async () => {
        const options = { ...optionsOf(as), groupId: group, deserializers: stringDeserializers, autocreateTopics: false };
        const consumer = groupProtocol === 'consumer' ? new Consumer({ ...options, groupProtocol }) : new Consumer(options);
        try {
          const stream = await consumer.consume({
            topics: [topic],
            mode: 'committed',
            fallbackMode: 'earliest',
            autocommit: false,
            maxWaitTime: 200,
          });
          const late = setTimeout(() => stream.destroy(new Error('nothing came')), READ_MS);
          const values: string[] = [];
          for await (const message of stream) {
            values.push(String(message.value));
            await message.commit();
            if (values.length >= count) break;
          }
          clearTimeout(late);
          await whileMember?.();
          return values;
        } catch (error) {
          throw named(error);
        } finally {
          await consumer.close(true);
        }
      }),
  };
}

/** Retries while a new cluster creates its offsets topic, which happens when the first consumer joins. */
async function onceCoordinated<T>(work: () => Promise<T>): Promise<T> {
  for (let tried = 0; ; tried++) {
    try {
      return await work();
    } catch (error) {
      if (tried === 40 || !String(error).includes('COORDINATOR')) throw error;
      await delay(250);
    }
  }
}

/** Kafka's error names are in nested errors. */
function named(error: unknown): Error {
  const names = [...within(error)].flatMap((one) => ('apiId' in one && typeof one.apiId === 'string' ? [one.apiId] : []));
  return names.length > 0 ? new Error(names.join(' '), { cause: error }) : error instanceof Error ? error : new Error(String(error));
}

function* within(error: unknown): Generator<Error> {
  if (!(error instanceof Error)) return;
  yield error;
  yield* within(error.cause);
  if (error instanceof AggregateError) for (const one of error.errors) yield* within(one);
}
