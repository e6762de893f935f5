# Serves Horizon with its static files on a free port, and prints its address.
import mimetypes
import os
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from django.conf import settings
from django.core.wsgi import get_wsgi_application


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Handler(WSGIRequestHandler):
    def log_message(self, *arguments):
        pass


application = get_wsgi_application()


def serve(environ, start_response):
    path = environ['PATH_INFO']
    if not path.startswith(settings.STATIC_URL):
        return application(environ, start_response)
    file = os.path.join(settings.STATIC_ROOT, path[len(settings.STATIC_URL):])
    if '..' in path or not os.path.isfile(file):
        start_response('404 Not Found', [])
        return []
    media = mimetypes.guess_type(file)[0] or 'application/octet-stream'
    start_response('200 OK', [('Content-Type', media)])
    with open(file, 'rb') as content:
        return [content.read()]


server = make_server('127.0.0.1', 0, serve, Server, Handler)
print('Horizon listens at http://127.0.0.1:%d' % server.server_port, flush=True)
server.serve_forever()
