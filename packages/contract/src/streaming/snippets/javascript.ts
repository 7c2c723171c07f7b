/** Node: with @platformatic/kafka, which encodes and decodes with the topic's schema, and with KafkaJS, the most common client. */
import { clientId, group, single, textNote, type Snippet, type SnippetFacts, type SnippetSchema, type SnippetUse } from './facts.ts';

const login = 'username: process.env.KAFKA_USERNAME, password: process.env.KAFKA_PASSWORD';
const brokers = ({ bootstrapServers }: SnippetFacts): string => `[${bootstrapServers.map(single).join(', ')}]`;

const nodeTls: Readonly<Record<SnippetFacts['tls'], string>> = {
  none: '',
  system: '\n  tls: {},',
  own: '\n  tls: { ca: process.env.KAFKA_CA_CERTIFICATE },',
};
/** The client's registry identifies Protobuf only by type names, which a topic does not contain. */
const isKnown = (schema: SnippetSchema | undefined): schema is SnippetSchema => schema !== undefined && schema.type !== 'PROTOBUF';
/** Ajv rejects unknown keywords such as `classification`. */
const registryOf = ({ type, registryUrl }: SnippetSchema): string => `const registry = new ConfluentSchemaRegistry({
  url: ${single(registryUrl)},
  auth: { ${login} },${type === 'JSON' ? '\n  jsonAjvOptions: { strict: false },' : ''}
});
`;
/** Additional imports and the client's settings for values. */
const nodeCodings: Readonly<
  Record<SnippetUse, Readonly<Record<'text' | 'schema', { readonly names: readonly string[]; readonly settings: string }>>>
> = {
  read: {
    text: { names: ['Consumer', 'stringDeserializers'], settings: 'deserializers: stringDeserializers,' },
    schema: {
      names: ['ConfluentSchemaRegistry', 'Consumer', 'stringDeserializer'],
      settings: `// The registry alone would take headers for JSON.
  deserializers: { ...registry.getDeserializers(), headerValue: stringDeserializer },
  beforeDeserialization: registry.getBeforeDeserializationHook(),`,
    },
  },
  write: {
    text: { names: ['compatibilityPartitioner', 'Producer', 'stringSerializers'], settings: 'serializers: stringSerializers,' },
    schema: { names: ['compatibilityPartitioner', 'ConfluentSchemaRegistry', 'Producer'], settings: 'registry,' },
  },
};
const nodeHead = (facts: Parameters<Snippet>[0]): string => {
  const { use, tls, schema } = facts;
  const { names, settings } = nodeCodings[use][isKnown(schema) ? 'schema' : 'text'];
  const own = use === 'read' ? `\n  groupId: ${single(group(facts))},` : '\n  partitioner: compatibilityPartitioner,';
  return `// npm install @platformatic/kafka@2.12.1
${isKnown(schema) ? '' : textNote(facts, '//')}import { ${names.join(', ')} } from '@platformatic/kafka';

${isKnown(schema) ? registryOf(schema) : ''}const client = new ${use === 'read' ? 'Consumer' : 'Producer'}({
  clientId: ${single(clientId(facts))},${own}
  bootstrapBrokers: ${brokers(facts)},
  sasl: { mechanism: 'SCRAM-SHA-512', ${login} },${nodeTls[tls]}
  ${settings}
});
`;
};

/** The newest version is the one that the platform registered last. */
const nodeWrite = ({ topic, schema }: SnippetFacts): string =>
  isKnown(schema)
    ? `
const answer = await fetch(${single(`${schema.registryUrl}/subjects/${topic}-value/versions/latest`)}, {
  headers: { authorization: \`Basic \${btoa(\`\${process.env.KAFKA_USERNAME}:\${process.env.KAFKA_PASSWORD}\`)}\` },
});
if (!answer.ok) throw new Error(await answer.text());
const { id } = await answer.json();
const value = ${JSON.stringify(schema.sample)};
await client.send({ messages: [{ topic: ${single(topic)}, key: 'key', value, metadata: { schemas: { value: id } } }] });
await client.close();
`
    : `
await client.send({ messages: [{ topic: ${single(topic)}, key: 'key', value: 'hello' }] });
await client.close();
`;

export const node: Snippet = (facts) =>
  nodeHead(facts) +
  (facts.use === 'write'
    ? nodeWrite(facts)
    : `
const stream = await client.consume({ topics: [${single(facts.topic)}], mode: 'committed', fallbackMode: 'earliest', autocommit: true });
for await (const message of stream) {
  console.log(message.key, message.value);
}
`);

const kafkajsTls: Readonly<Record<SnippetFacts['tls'], string>> = {
  none: '',
  system: '\n  ssl: true,',
  own: '\n  ssl: { ca: process.env.KAFKA_CA_CERTIFICATE },',
};

export const kafkajs: Snippet = (facts) => {
  const { use, topic, tls } = facts;
  const head = `// npm install kafkajs@2.2.4
${textNote(facts, '//')}import { Kafka${use === 'read' ? '' : ', Partitioners'} } from 'kafkajs';

const kafka = new Kafka({
  clientId: ${single(clientId(facts))},
  brokers: ${brokers(facts)},${kafkajsTls[tls]}
  sasl: { mechanism: 'scram-sha-512', ${login} },
});
`;
  return use === 'read'
    ? `${head}
const consumer = kafka.consumer({ groupId: ${single(group(facts))} });
// KafkaJS stops reading after some failures, such as a broker restart during sign-in. Exit then, so that the program is restarted.
consumer.on(consumer.events.CRASH, ({ payload }) => {
  if (!payload.restart) process.exit(1);
});
await consumer.connect();
await consumer.subscribe({ topics: [${single(topic)}], fromBeginning: true });
await consumer.run({
  eachMessage: async ({ message }) => console.log(String(message.key), String(message.value)),
});
`
    : `${head}
const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
await producer.connect();
await producer.send({ topic: ${single(topic)}, messages: [{ key: 'key', value: 'hello' }] });
await producer.disconnect();
`;
};
