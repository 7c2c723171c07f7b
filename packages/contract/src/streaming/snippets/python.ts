/** Python, with Confluent's client on librdkafka, which encodes and decodes with the topic's schema. */
import { group, protocol, text, textNote, type Snippet, type SnippetFacts, type SnippetSchema, type SnippetUse } from './facts.ts';

type Facts = SnippetFacts & { readonly use: SnippetUse };
interface Coding {
  readonly type: string;
  readonly module: string;
  /** Name of the pip extra. */
  readonly extra: string;
  readonly serializer: string;
  readonly deserializer: string;
}
/** Protobuf needs code generated from the .proto file. */
const codings: Readonly<Partial<Record<SnippetSchema['type'], Coding>>> = {
  AVRO: { type: 'Avro', module: 'avro', extra: 'avro', serializer: 'registry', deserializer: 'registry' },
  JSON: {
    type: 'JSON',
    module: 'json_schema',
    extra: 'json',
    serializer: 'None, registry',
    deserializer: 'None, schema_registry_client=registry',
  },
};

/** Returns JSON as a Python literal. */
const literal = (value: unknown): string => {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, inner]) => `${text(name)}: ${literal(inner)}`)
    .join(', ')}}`;
};

const imports = (use: SnippetUse, coding: Coding | undefined): string => {
  const base = `import os
from confluent_kafka import KafkaException, ${use === 'read' ? 'Consumer' : 'Producer'}
`;
  if (!coding) return base;
  return `${base}from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.${coding.module} import ${coding.type}${use === 'read' ? 'Deserializer' : 'Serializer'}
from confluent_kafka.serialization import MessageField, SerializationContext
`;
};

const registryOf = ({ use, topic, schema }: Facts, coding: Coding): string => `
registry = SchemaRegistryClient({
    "url": ${text(schema?.registryUrl ?? '')},
    "basic.auth.user.info": f"{os.environ['KAFKA_USERNAME']}:{os.environ['KAFKA_PASSWORD']}",
})
value_of = SerializationContext(${text(topic)}, MessageField.VALUE)
${
  use === 'read'
    ? `deserialize = ${coding.type}Deserializer(${coding.deserializer})`
    : `serialize = ${coding.type}Serializer(${coding.serializer}, conf={"auto.register.schemas": False, "use.latest.version": True})`
}
`;

const read = (topic: string, coding: Coding | undefined): string => `
client.subscribe([${text(topic)}])
try:
    while True:
        message = client.poll(1)
        if message is None:
            continue
        if message.error():
            raise KafkaException(message.error())
        print(message.key(), ${coding ? 'deserialize(message.value(), value_of)' : 'message.value()'}, flush=True)
finally:
    client.close()
`;
const write = ({ topic, schema }: SnippetFacts, coding: Coding | undefined): string => `
def delivered(error, message):
    if error:
        raise KafkaException(error)

client.produce(${text(topic)}, key="key", value=${coding ? `serialize(${literal(schema?.sample)}, value_of)` : '"hello"'}, on_delivery=delivered)
client.flush()
`;

export const python: Snippet = (facts) => {
  const { use, topic, bootstrapServers, tls, schema } = facts;
  const coding = schema && codings[schema.type];
  const more = [
    ...(tls === 'own' ? ['"ssl.ca.pem": os.environ["KAFKA_CA_CERTIFICATE"],'] : []),
    // librdkafka's default partitioner maps keys to other partitions than Java clients do.
    ...(use === 'read' ? [`"group.id": ${text(group(facts))},`, '"auto.offset.reset": "earliest",'] : ['"partitioner": "murmur2_random",']),
  ];
  return `# pip install ${coding ? `"confluent-kafka[${coding.extra},schemaregistry]==2.16.0"` : 'confluent-kafka==2.16.0'}
${coding ? '' : textNote(facts, '#')}${imports(use, coding)}${coding ? registryOf(facts, coding) : ''}
client = ${use === 'read' ? 'Consumer' : 'Producer'}({
    "bootstrap.servers": ${text(bootstrapServers.join(','))},
    "security.protocol": "${protocol(facts)}",
    "sasl.mechanism": "SCRAM-SHA-512",
    "sasl.username": os.environ["KAFKA_USERNAME"],
    "sasl.password": os.environ["KAFKA_PASSWORD"],
${more.map((line) => `    ${line}`).join('\n')}
})
${use === 'read' ? read(topic, coding) : write(facts, coding)}`;
};
