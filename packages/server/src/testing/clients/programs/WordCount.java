// Counts words with Kafka Streams. With CREATES_TOPICS, it counts the words of all messages: that needs topics of its own, which an account
// may not make. Otherwise it counts by key, in memory alone. It ends when it has counted what it wrote, or says why it stopped.
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.KeyValueStore;

public class WordCount {
  static final String topic = System.getenv("TOPIC");

  static Map<String, Object> connection() {
    var settings = new HashMap<String, Object>();
    settings.put("bootstrap.servers", System.getenv("BOOTSTRAP_SERVERS"));
    settings.put("security.protocol", "SASL_PLAINTEXT");
    settings.put("sasl.mechanism", "SCRAM-SHA-512");
    settings.put("sasl.jaas.config", "org.apache.kafka.common.security.scram.ScramLoginModule required username=\""
      + System.getenv("KAFKA_USERNAME") + "\" password=\"" + System.getenv("KAFKA_PASSWORD") + "\";");
    return settings;
  }

  public static void main(String[] arguments) throws Exception {
    var createsTopics = System.getenv("CREATES_TOPICS") != null;
    var text = new StringSerializer();
    try (var producer = new KafkaProducer<>(connection(), text, text)) {
      for (var line : List.of("tug pilot", "pilot tug", "tug"))
        producer.send(new ProducerRecord<>(topic, createsTopics ? null : "tug", line)).get();
    }
    var builder = new StreamsBuilder();
    var lines = builder.<String, String>stream(topic);
    var counts = createsTopics
      ? lines.flatMapValues(line -> List.of(line.split(" "))).groupBy((key, word) -> word).count(Materialized.as("counts"))
      : lines.groupByKey().count(Materialized.<String, Long, KeyValueStore<Bytes, byte[]>>as("counts").withLoggingDisabled());
    var ended = new CountDownLatch(1);
    var left = new HashSet<>(createsTopics ? List.of("tug 3", "pilot 2") : List.of("tug 3"));
    counts.toStream().foreach((word, count) -> {
      System.out.println(word + " " + count);
      left.remove(word + " " + count);
      if (left.isEmpty()) ended.countDown();
    });
    var settings = new java.util.Properties();
    settings.putAll(connection());
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, System.getenv("GROUP"));
    settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, System.getenv("GUARANTEE"));
    settings.put(StreamsConfig.STATE_DIR_CONFIG, System.getenv("STATE"));
    settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 100);
    settings.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
    settings.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
    settings.put("auto.offset.reset", "earliest");
    try (var streams = new KafkaStreams(builder.build(), settings)) {
      streams.setUncaughtExceptionHandler(error -> {
        for (var cause = error; cause != null; cause = cause.getCause())
          System.out.println("stopped " + cause.getClass().getSimpleName() + " " + cause.getMessage());
        ended.countDown();
        return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
      });
      streams.start();
      ended.await();
    }
  }
}
