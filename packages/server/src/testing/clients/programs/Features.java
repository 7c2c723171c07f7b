// What Kafka's own client may do beside writing text: every compression, large batches, idempotence, committed reads, transactions, and the
// newer protocol of groups. Each line says how it went.
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

public class Features {
  static final String topic = System.getenv("TOPIC");
  static final ByteArraySerializer out = new ByteArraySerializer();
  static final ByteArrayDeserializer in = new ByteArrayDeserializer();

  static Map<String, Object> settings(Map<String, Object> more) {
    var settings = new HashMap<String, Object>();
    settings.put("bootstrap.servers", System.getenv("BOOTSTRAP_SERVERS"));
    settings.put("security.protocol", System.getenv("SECURITY_PROTOCOL"));
    settings.put("sasl.mechanism", "SCRAM-SHA-512");
    settings.put("sasl.jaas.config", "org.apache.kafka.common.security.scram.ScramLoginModule required username=\""
      + System.getenv("KAFKA_USERNAME") + "\" password=\"" + System.getenv("KAFKA_PASSWORD") + "\";");
    if (System.getenv("KAFKA_CA_CERTIFICATE") != null) {
      settings.put("ssl.truststore.type", "PEM");
      settings.put("ssl.truststore.certificates", System.getenv("KAFKA_CA_CERTIFICATE"));
    }
    settings.putAll(more);
    return settings;
  }

  static String write(List<byte[]> values, Map<String, Object> more) throws InterruptedException {
    try (var producer = new KafkaProducer<>(settings(more), out, out)) {
      var sent = values.stream().map(value -> producer.send(new ProducerRecord<>(topic, value))).toList();
      for (var one : sent) one.get();
      return "ok";
    } catch (ExecutionException error) {
      return error.getCause().getClass().getSimpleName();
    }
  }

  static byte[] random(int bytes) {
    var value = new byte[bytes];
    new Random(1).nextBytes(value);
    return value;
  }

  static String read(int wanted, Map<String, Object> more) {
    try (var consumer = new KafkaConsumer<>(settings(more), in, in)) {
      consumer.subscribe(List.of(topic));
      var count = 0;
      for (var end = Instant.now().plusSeconds(30); count < wanted && Instant.now().isBefore(end); )
        count += consumer.poll(Duration.ofSeconds(1)).count();
      consumer.commitSync();
      return String.valueOf(count);
    } catch (RuntimeException error) {
      return error.getClass().getSimpleName() + " " + error.getMessage();
    }
  }

  public static void main(String[] arguments) throws Exception {
    for (var codec : List.of("none", "gzip", "snappy", "lz4", "zstd")) {
      var values = new java.util.ArrayList<byte[]>();
      for (var number = 0; number < 60; number++) values.add((codec + " " + number + " ").repeat(100).getBytes());
      System.out.println(codec + " " + write(values, Map.of("compression.type", codec, "linger.ms", 20, "batch.size", 900_000)));
    }
    var large = Map.<String, Object>of("max.request.size", 8_000_000);
    System.out.println("large " + write(List.of(random(1_000_000)), large));
    System.out.println("too-large " + write(List.of(random(3_000_000)), large));
    var group = System.getenv("GROUP");
    var from = Map.<String, Object>of("group.id", group, "auto.offset.reset", "earliest", "isolation.level", "read_committed");
    System.out.println("read " + read(301, from));
    System.out.println("newer-groups " + read(301, Map.of("group.id", group + ".newer", "auto.offset.reset", "earliest", "group.protocol", "consumer")));
    try (var producer = new KafkaProducer<>(settings(Map.of("transactional.id", group, "max.block.ms", 20_000)), out, out)) {
      producer.initTransactions();
      System.out.println("transaction begun");
    } catch (RuntimeException error) {
      System.out.println("transaction " + error.getClass().getSimpleName() + " " + error.getMessage());
    }
  }
}
