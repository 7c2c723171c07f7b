/**
 * kcat, in bash or zsh. The password comes from process substitution, so neither the shell history nor the process list contains it. Before
 * 2.6.1 librdkafka sent a client's nonce twice in SCRAM (librdkafka#4895), which Apache Kafka 4 rejects.
 */
import { group, protocol, textNote, type Snippet } from './facts.ts';

export const kcat: Snippet = (facts) => {
  const { use, topic, bootstrapServers, tls } = facts;
  const authority = tls === 'own' ? ' \\\n  -X ssl.ca.pem="$KAFKA_CA_CERTIFICATE"' : '';
  const login = `-F <(printf 'sasl.username=%s\\nsasl.password=%s\\n' "$KAFKA_USERNAME" "$KAFKA_PASSWORD") \\
  -b ${bootstrapServers.join(',')} -X security.protocol=${protocol(facts)} -X sasl.mechanism=SCRAM-SHA-512${authority}`;
  const head = `# kcat 1.7 with librdkafka 2.6.1 or newer, see kcat -V. apt-get install kcat, or brew install kcat. For bash and zsh.\n${textNote(facts, '#')}`;
  return use === 'read'
    ? `${head}kcat ${login} \\
  -X auto.offset.reset=earliest -u -K : -G ${group(facts)} ${topic}
`
    : `${head}echo key:hello | kcat ${login} \\
  -X partitioner=murmur2_random -P -K : -t ${topic}
`;
};
