/** Settings files for tools that read one, filled in, and the setup of a terminal before running a program. */
import { protocol, type ConnectionFacts as Facts } from './facts.ts';

export const connectionFileNames = ['terminal', 'client.properties', 'librdkafka.config'] as const;
export type ConnectionFileName = (typeof connectionFileNames)[number];
export const connectionFileLabels: Readonly<Record<ConnectionFileName, string>> = {
  terminal: 'Terminal',
  'client.properties': 'client.properties',
  'librdkafka.config': 'librdkafka.config',
};

const shellWord = (value: string): string => `'${value.replaceAll("'", `'\\''`)}'`;
/** `read` keeps the password out of the shell history. The certificate authority is not secret. */
const terminal = ({ user, tls }: Facts): string => `export KAFKA_USERNAME=${shellWord(user)}
read -rs KAFKA_PASSWORD && export KAFKA_PASSWORD
${tls === 'own' ? 'export KAFKA_CA_CERTIFICATE="$(cat kafka-ca.pem)"\n' : ''}`;

/**
 * For Kafka's own tools and Java programs. The file refers to environment variables for the credentials, so it can be kept next to the
 * code.
 */
const clientProperties = (
  facts: Facts,
): string => `# bin/kafka-console-consumer.sh --bootstrap-server ${facts.bootstrapServers.join(',')} --command-config client.properties \\
#   --group ${facts.groupPrefix}tools --topic TOPIC
bootstrap.servers=${facts.bootstrapServers.join(',')}
security.protocol=${protocol(facts)}
sasl.mechanism=SCRAM-SHA-512
sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required \\
  username="\${env:KAFKA_USERNAME}" password="\${env:KAFKA_PASSWORD}";
${facts.tls === 'own' ? 'ssl.truststore.type=PEM\nssl.truststore.certificates=${env:KAFKA_CA_CERTIFICATE}\n' : ''}config.providers=env
config.providers.env.class=org.apache.kafka.common.config.provider.EnvVarConfigProvider
`;

/** librdkafka does not read environment variables, so a command writes a file that only its owner can read. */
const librdkafka = (facts: Facts): string => `(umask 077; cat > librdkafka.config <<END
bootstrap.servers=${facts.bootstrapServers.join(',')}
security.protocol=${protocol(facts)}
sasl.mechanism=SCRAM-SHA-512
sasl.username=$KAFKA_USERNAME
sasl.password=$KAFKA_PASSWORD
${facts.tls === 'own' ? 'ssl.ca.location=kafka-ca.pem\n' : ''}END
)
${facts.tls === 'own' ? 'printf \'%s\\n\' "$KAFKA_CA_CERTIFICATE" > kafka-ca.pem\n' : ''}kcat -F librdkafka.config -L
`;

const files: Readonly<Record<ConnectionFileName, (facts: Facts) => string>> = {
  terminal,
  'client.properties': clientProperties,
  'librdkafka.config': librdkafka,
};
export const connectionFileOf = (name: ConnectionFileName, facts: Facts): string => files[name](facts);
