/** Go, with franz-go, which does not need C. */
import { clientId, group, text, textNote, type Snippet } from './facts.ts';

export const go: Snippet = (facts) => {
  const { use, topic, bootstrapServers, tls } = facts;
  const isRead = use === 'read';
  const roots = tls === 'own';
  const dial = { none: [], system: ['kgo.DialTLS(),'], own: ['kgo.DialTLSConfig(&tls.Config{RootCAs: roots}),'] }[tls];
  const options = [
    `kgo.ClientID(${text(clientId(facts))}),`,
    `kgo.SeedBrokers(${bootstrapServers.map(text).join(', ')}),`,
    'kgo.SASL(scram.Auth{User: os.Getenv("KAFKA_USERNAME"), Pass: os.Getenv("KAFKA_PASSWORD")}.AsSha512Mechanism()),',
    ...dial,
    ...(isRead ? [`kgo.ConsumerGroup(${text(group(facts))}),`, `kgo.ConsumeTopics(${text(topic)}),`] : []),
  ];
  const imports = ['context', ...(roots ? ['crypto/tls', 'crypto/x509'] : []), ...(isRead ? ['fmt'] : []), 'os'];
  const body = isRead
    ? `	for {
		fetches := client.PollFetches(context.Background())
		if err := fetches.Err(); err != nil {
			panic(err)
		}
		fetches.EachRecord(func(record *kgo.Record) {
			fmt.Println(string(record.Key), string(record.Value))
		})
	}`
    : `	record := &kgo.Record{Topic: ${text(topic)}, Key: []byte("key"), Value: []byte("hello")}
	if err := client.ProduceSync(context.Background(), record).FirstErr(); err != nil {
		panic(err)
	}`;
  return `// go get github.com/twmb/franz-go/pkg/kgo@v1.22.2
${textNote(facts, '//')}package main

import (
${imports.map((name) => `\t"${name}"`).join('\n')}

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

func main() {
${roots ? '\troots := x509.NewCertPool()\n\troots.AppendCertsFromPEM([]byte(os.Getenv("KAFKA_CA_CERTIFICATE")))\n' : ''}	client, err := kgo.NewClient(
${options.map((line) => `\t\t${line}`).join('\n')}
	)
	if err != nil {
		panic(err)
	}
	defer client.Close()
${body}
}
`;
};
