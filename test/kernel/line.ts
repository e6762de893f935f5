// A TCP proxy that can be cut and mended, so that a server seems to stop and start again with its
// data.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Line {
  readonly port: number;
  /** Ends all connections, and refuses new ones. */
  cut(): Promise<void>;
  mend(): Promise<void>;
}

/** Opens a proxy to a port. */
export async function openLine(to: number): Promise<Line> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
    }
  });
  const listen = (port: number): Promise<void> =>
    new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async cut() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      sockets.clear();
      await closed;
    },
    mend: async () => (server.listening ? undefined : listen(port)),
  };
}
