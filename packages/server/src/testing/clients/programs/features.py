# What a client may do beside writing text: every compression, large batches, idempotence, committed reads, the newer protocol of groups, transactions. Each line says how it went.
import os
from confluent_kafka import Consumer, KafkaException, Producer

topic = os.environ["TOPIC"]
connection = {
    "bootstrap.servers": os.environ["BOOTSTRAP_SERVERS"],
    "security.protocol": os.environ["SECURITY_PROTOCOL"],
    "sasl.mechanism": "SCRAM-SHA-512",
    "sasl.username": os.environ["KAFKA_USERNAME"],
    "sasl.password": os.environ["KAFKA_PASSWORD"],
}
if "KAFKA_CA_CERTIFICATE" in os.environ:
    connection["ssl.ca.pem"] = os.environ["KAFKA_CA_CERTIFICATE"]


def write(values, **settings):
    failures = []
    producer = Producer({**connection, "enable.idempotence": True, "linger.ms": 20, "message.max.bytes": 8_000_000, **settings})
    for value in values:
        producer.produce(topic, value=value, on_delivery=lambda error, _: error and failures.append(error.name()))
    left = producer.flush(30)
    return ",".join(sorted(set(failures))) or ("ok" if left == 0 else f"{left} left")


for codec in ("none", "gzip", "snappy", "lz4", "zstd"):
    settings = {"compression.type": codec, "batch.size": 900_000}
    print(codec, write([f"{codec} {number} ".encode() * 100 for number in range(60)], **settings), flush=True)
print("large", write([os.urandom(1_000_000)]), flush=True)
print("too-large", write([os.urandom(3_000_000)]), flush=True)



def read(**settings):
    said = []
    connection["error_cb"] = lambda error: said.append(f"{error.name()} {error.str()}")
    reader = Consumer({**connection, "auto.offset.reset": "earliest", "isolation.level": "read_committed", **settings})
    try:
        reader.subscribe([topic])
        count = 0
        while count < 301:
            message = reader.poll(20)
            if message is None:
                break
            if message.error():
                raise KafkaException(message.error())
            count += 1
        if count > 0:
            reader.commit(asynchronous=False)
        return " ".join([str(count), *said])
    except KafkaException as error:
        return f"{error.args[0].name()} {error.args[0].str()}"
    finally:
        reader.close()


print("read", read(**{"group.id": os.environ["GROUP"]}), flush=True)
print("newer-groups", read(**{"group.id": os.environ["GROUP"] + ".newer", "group.protocol": "consumer"}), flush=True)

try:
    Producer({**connection, "transactional.id": os.environ["GROUP"]}).init_transactions(20)
    print("transaction begun", flush=True)
except KafkaException as error:
    print("transaction", error.args[0].name(), error.args[0].str(), flush=True)
