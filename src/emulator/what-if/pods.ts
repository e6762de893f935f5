// Puts a pod under maintenance, and moves what is in it to other pods.
import { counted } from '../../kernel/user/sentences.ts';
import type { Json, RegionClient } from '../worlds/client.ts';

/** How often the clock is advanced by a minute until a drain has ended. */
const maxMinutes = 24 * 60;

interface Migration extends Json {
  readonly id: string | null;
  readonly finished_at?: string | null;
  readonly moves: readonly { readonly status?: string; readonly resources: readonly object[] }[];
  readonly refused: readonly { readonly name: string; readonly reason: string }[];
}

/** Drains a pod. Its steps follow the clock, which is advanced until they have ended. */
export async function maintainPod({ client }: RegionClient, pod: string): Promise<string> {
  const path = `/_emulator/pods/${encodeURIComponent(pod)}/drain`;
  let migration = (await client.ask('POST', path, { body: {} })) as Migration;
  for (let minute = 0; migration.id !== null && migration.finished_at == null; minute++) {
    if (minute === maxMinutes) break;
    await client.ask('POST', '/_emulator/clock/advance', { body: { minutes: 1 } });
    migration = (await client.ask('GET', `/_emulator/migrations/${migration.id}`)) as Migration;
  }
  const moved = migration.moves.filter(({ status }) => status === 'MOVED');
  const count = moved.reduce((sum, { resources }) => sum + resources.length, 0);
  const stays = migration.refused.map(({ name, reason }) => `${name} stays: ${reason}`);
  return [`${pod} is under maintenance; ${counted(count, 'resource')} moved`, ...stays].join('; ');
}
