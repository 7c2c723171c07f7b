// The topic of this app. The platform sets KAFKA_… from the secret group of the account that is attached to the service.
import kafkajs from '../vendor/kafkajs.js';

import { about } from './about.js';
import { log } from './log.js';

const { Kafka, logLevel } = kafkajs;
const KEPT = 5;
const { env } = process;

const kafka = new Kafka({
  clientId: about.name,
  brokers: (env.KAFKA_BOOTSTRAP_SERVERS ?? '').split(','),
  ssl: env.KAFKA_SECURITY_PROTOCOL === 'SASL_SSL' && (env.KAFKA_CA_CERTIFICATE ? { ca: env.KAFKA_CA_CERTIFICATE } : true),
  sasl: { mechanism: 'scram-sha-512', username: env.KAFKA_USERNAME, password: env.KAFKA_PASSWORD },
  logLevel: logLevel.ERROR,
  logCreator: () => ({ log: { message, error } }) => log.error('kafka', { error: error ?? message }),
});

/** Writes events to the topic, and remembers the newest that it reads there. */
export const streamOf = (topic) => {
  const producer = kafka.producer();
  // The instances of the service share the group, so that each message is read once.
  const consumer = kafka.consumer({ groupId: `${env.KAFKA_GROUP_PREFIX ?? ''}${about.name}-page` });
  let total = 0;
  let newest = [];
  return {
    title: 'Stream',
    async open() {
      await producer.connect();
      await consumer.connect();
      await consumer.subscribe({ topics: [topic], fromBeginning: true });
      await consumer.run({
        eachMessage: async ({ message }) => {
          total += 1;
          newest = [{ at: new Date(Number(message.timestamp)).toISOString(), text: textOf(message.value) }, ...newest].slice(0, KEPT);
        },
      });
    },
    record: (text) =>
      producer.send({
        topic,
        messages: [{ key: about.name, value: JSON.stringify({ text, service: about.name, at: new Date().toISOString() }) }],
      }),
    read: async () => ({ summary: `Topic ${topic}: ${total} ${total === 1 ? 'message' : 'messages'} read since the start`, entries: newest }),
    close: () => Promise.allSettled([producer.disconnect(), consumer.disconnect()]),
  };
};

/** Other programs may write to the topic, too: their messages are shown as they are. */
const textOf = (value) => {
  const raw = value?.toString('utf8') ?? '';
  try {
    return String(JSON.parse(raw).text ?? raw);
  } catch {
    return raw;
  }
};
