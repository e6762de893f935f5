// Starts the server that the clients use: a new emulator with an empty cloud in memory, or a
// running server.
import { startEmulator } from '../support/processes.ts';

export interface Server {
  readonly authUrl: string;
  stop(): Promise<unknown>;
}

/**
 * Returns the server that CUMULET_TEST_SERVER names, such as a real OpenStack, or starts an
 * emulator with these flags.
 */
export async function startServer(flags: readonly string[] = []): Promise<Server> {
  const given = process.env['CUMULET_TEST_SERVER'];
  if (given !== undefined && given !== '')
    return { authUrl: `${given}/identity/v3`, stop: async () => {} };
  const emulator = await startEmulator(['--database', 'memory:', ...flags]);
  return { authUrl: `${emulator.origin}/identity/v3`, stop: () => emulator.stop() };
}
