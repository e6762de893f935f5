# Starts Heat's engine and its API in one process, as the command heat-all does, on a free port, and
# prints its address. The process needs no message broker, because the messages stay in its memory.
from heat.cmd import all as heat_all
from heat.engine import notification

# Debian's oslo.messaging 14.0.3 removes the trust from the contexts of notifications. Without it,
# Heat 19 cannot look up the roles of the user, so that signals to scaling policies fail.
notification.notify = lambda *arguments: None

services = [thread.wait() for thread in heat_all.launch_all()]
api = next(service for service in services if hasattr(service, 'sock'))
print('Heat listens at http://127.0.0.1:%d' % api.sock.getsockname()[1], flush=True)
for service in services:
    service.wait()
