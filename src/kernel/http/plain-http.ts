// Recognizes plain HTTP on a port for HTTPS, so that its client gets an answer that it can read.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** The first byte of a TLS connection: a handshake record. */
export const handshakeByte = 0x16;

/** The message for a request in plain HTTP, by which clients of the emulator recognize it. */
export const plainHttpRefusal = 'This port serves HTTPS, and the request is plain HTTP';

/** How many bytes of a request line are read. */
const lineLimit = 2000;

/**
 * Looks at the first byte of each connection before the server does.
 * @param refuse gets connections on which a client speaks plain HTTP, with the first line
 */
export function refusePlainHttp(
  server: Server,
  refuse: (socket: Socket, line: string) => void,
): void {
  const handlers = server.listeners('connection') as ((this: Server, socket: Socket) => void)[];
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const abandon = (): void => void socket.destroy();
    socket.on('error', abandon);
    socket.setTimeout(server.headersTimeout, abandon);
    socket.once('data', (data: Buffer) => {
      socket.pause();
      socket.setTimeout(0);
      socket.off('timeout', abandon);
      if (data[0] === handshakeByte) {
        socket.off('error', abandon);
        socket.unshift(data);
        for (const handle of handlers) handle.call(server, socket);
      } else {
        const line = data.toString('latin1', 0, lineLimit).split('\r\n', 1)[0]!;
        refuse(socket, line);
        socket.resume(); // what follows is discarded
      }
    });
  });
}
