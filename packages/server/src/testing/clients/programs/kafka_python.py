# kafka-python, a client that shares no code with the others: writes in a group's topic, and reads it back.
import os
import ssl
import sys
from kafka import KafkaConsumer, KafkaProducer

connection = {
    "bootstrap_servers": os.environ["BOOTSTRAP_SERVERS"].split(","),
    "security_protocol": os.environ["SECURITY_PROTOCOL"],
    "sasl_mechanism": "SCRAM-SHA-512",
    "sasl_plain_username": os.environ["KAFKA_USERNAME"],
    "sasl_plain_password": os.environ["KAFKA_PASSWORD"],
}
if "KAFKA_CA_CERTIFICATE" in os.environ:
    connection["ssl_context"] = ssl.create_default_context(cadata=os.environ["KAFKA_CA_CERTIFICATE"])

topic = os.environ["TOPIC"]
try:
    producer = KafkaProducer(**connection, compression_type="gzip")
    producer.send(topic, key=b"key", value=b"hello of kafka-python").get(timeout=30)
    producer.close()
    print("written", flush=True)
    reader = KafkaConsumer(topic, **connection, group_id=os.environ["GROUP"], auto_offset_reset="earliest")
    for message in reader:
        if message.value == b"hello of kafka-python":
            print("read", flush=True)
            break
    reader.close()
except Exception as error:
    print(repr(error), flush=True)
    sys.exit(1)
