// The user's folder for what programs keep between runs.
import { homedir } from 'node:os';
import { join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** The user's folder for the state of programs, as in the XDG Base Directory Specification. */
export function userStateFolder(env: Environment = process.env): string {
  const base = env['XDG_STATE_HOME'] || env['LOCALAPPDATA'] || join(homedir(), '.local', 'state');
  return join(base, 'cumulet');
}
