"""Runs `openstack` without its start-up time of a second.

A server loads the client once, and forks for each command.

`forking_client.py serve SOCKET` starts the server, and `forking_client.py run SOCKET ARGUMENT...`
sends it a command.
"""
import os
import socket
import sys


def run(path, arguments):
    """Sends the command with this process's environment, folder and standard streams. Returns its
    exit code.
    """
    environment = ['%s=%s' % item for item in os.environ.items()]
    message = '\0'.join([str(len(arguments)), os.getcwd(), *arguments, *environment]).encode()
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(path)
        socket.send_fds(server, [b'+'], [0, 1, 2])
        server.sendall(message)
        server.shutdown(socket.SHUT_WR)
        return int(server.recv(16) or 1)


def serve(path):
    import importlib
    import signal

    from openstackclient import shell

    # Modules that most commands import.
    for name in ('openstack.connection', 'novaclient.client', 'cinderclient.client',
                 'openstackclient.compute.v2.server',
                 'openstackclient.network.v2.network', 'osc_placement.plugin',
                 'osc_placement.resources.allocation'):
        try:
            importlib.import_module(name)
        except ImportError:
            pass  # A newer client has moved it; the command imports it then.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    print('ready', flush=True)
    while True:
        client, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            answer(client, shell)
        client.close()


def answer(client, shell):
    _, streams, _, _ = socket.recv_fds(client, 1, 3)
    message = b''.join(iter(lambda: client.recv(65536), b'')).decode()
    count, folder, *rest = message.split('\0')
    arguments, environment = rest[: int(count)], rest[int(count) :]
    for target, stream in enumerate(streams):
        os.dup2(stream, target)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(item.split('=', 1) for item in environment)
    sys.argv = ['openstack', *arguments]
    try:
        code = shell.main(arguments)
    except SystemExit as ended:
        code = ended.code
    except BaseException as error:
        print(error, file=sys.stderr)
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    client.sendall(str(code or 0).encode())
    os._exit(0)


if __name__ == '__main__':
    action, path, *arguments = sys.argv[1:]
    if action == 'serve':
        serve(path)
    sys.exit(run(path, arguments))
