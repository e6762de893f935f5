"""Prints the notifications of an exchange and a topic as JSON.

Usage: consumer.py TRANSPORT_URL EXCHANGE TOPIC COUNT
"""
import json
import sys

from oslo_config import cfg
import oslo_messaging

url, exchange, topic, count = sys.argv[1:5]
received = []


class Endpoint:
    def info(self, context, publisher_id, event_type, payload, metadata):
        received.append(
            dict(publisher_id=publisher_id, event_type=event_type, payload=payload, priority="INFO")
        )
        if len(received) >= int(count):
            print(json.dumps(received))
            sys.stdout.flush()
            listener.stop()


transport = oslo_messaging.get_notification_transport(cfg.ConfigOpts(), url=url)
target = oslo_messaging.Target(topic=topic, exchange=exchange)
listener = oslo_messaging.get_notification_listener(
    transport, [target], [Endpoint()], executor="threading"
)
listener.start()
listener.wait()
