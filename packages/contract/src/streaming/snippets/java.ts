/** Java, with Apache Kafka's own client. */
import { group, protocol, text, textNote, type Snippet, type SnippetFacts } from './facts.ts';

/** Settings that every program shares: name and value. */
const connection = (facts: SnippetFacts): (readonly [string, string])[] => [
  ['bootstrap.servers', text(facts.bootstrapServers.join(','))],
  ['security.protocol', text(protocol(facts))],
  ['sasl.mechanism', '"SCRAM-SHA-512"'],
  [
    'sasl.jaas.config',
    [
      '"org.apache.kafka.common.security.scram.ScramLoginModule required username=\\""',
      'System.getenv("KAFKA_USERNAME")',
      '"\\" password=\\""',
      'System.getenv("KAFKA_PASSWORD")',
      '"\\";"',
    ].join('\n      + '),
  ],
  ...(facts.tls === 'own'
    ? ([
        ['ssl.truststore.type', '"PEM"'],
        ['ssl.truststore.certificates', 'System.getenv("KAFKA_CA_CERTIFICATE")'],
      ] as const)
    : []),
];

export const java: Snippet = (facts) => {
  const { use, topic } = facts;
  const isRead = use === 'read';
  const [kind, part] = isRead ? ['Consumer', 'Deserializer'] : ['Producer', 'Serializer'];
  const settings = [
    ...connection(facts),
    ...(isRead
      ? ([
          ['group.id', text(group(facts))],
          ['auto.offset.reset', '"earliest"'],
        ] as const)
      : []),
    [`key.${part.toLowerCase()}`, `"org.apache.kafka.common.serialization.String${part}"`],
    [`value.${part.toLowerCase()}`, `"org.apache.kafka.common.serialization.String${part}"`],
  ];
  const body = isRead
    ? `consumer.subscribe(List.of(${text(topic)}));
      while (true) {
        for (var message : consumer.poll(Duration.ofSeconds(1))) System.out.println(message.key() + " " + message.value());
      }`
    : `producer.send(new ProducerRecord<>(${text(topic)}, "key", "hello")).get();`;
  const imports = isRead
    ? ['java.time.Duration', 'java.util.List', 'java.util.Properties', 'org.apache.kafka.clients.consumer.KafkaConsumer']
    : ['java.util.Properties', 'org.apache.kafka.clients.producer.KafkaProducer', 'org.apache.kafka.clients.producer.ProducerRecord'];
  return `// Maven: org.apache.kafka:kafka-clients:4.3.0
${textNote(facts, '//')}${imports.map((name) => `import ${name};`).join('\n')}

public class Main {
  public static void main(String[] arguments) throws Exception {
    var settings = new Properties();
${settings.map(([name = '', value = '']) => `    settings.put(${text(name)}, ${value});`).join('\n')}
    try (var ${kind.toLowerCase()} = new Kafka${kind}<String, String>(settings)) {
      ${body}
    }
  }
}
`;
};
