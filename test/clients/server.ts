// What the clients talk to: an emulator of its own, with an empty cloud in memory, or a server that
// runs already.
import { startEmulator } from '../support/processes.ts';

export interface Server {
  readonly authUrl: string;
  stop(): Promise<unknown>;
}

/**
 * The server that CUMULET_TEST_SERVER names, for instance a real OpenStack, or else a new one with
 * these flags.
 */
export async function startServer(flags: readonly string[] = []): Promise<Server> {
  const given = process.env['CUMULET_TEST_SERVER'];
  if (given !== undefined && given !== '')
    return { authUrl: `${given}/identity/v3`, stop: async () => {} };
  const emulator = await startEmulator(['--database', 'memory:', ...flags]);
  return { authUrl: `${emulator.origin}/identity/v3`, stop: () => emulator.stop() };
}
