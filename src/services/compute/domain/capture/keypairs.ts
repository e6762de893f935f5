// Captures the key pairs of all users.
import { allOrOwn, entriesOf, timeOf } from '../../../../emulator/capture/fields.ts';
import type { CaptureSource, Json } from '../../../../emulator/capture/model.ts';
import type { Context } from '../../../../kernel/model.ts';
import { keypairTypes } from '../../model.ts';
import { insertKeypair } from '../../store/keypairs.ts';

/**
 * Captures key pairs with their times, which only the reply for a single one has.
 * @returns how many
 */
export async function captureKeypairs(
  { db, now }: Context,
  source: CaptureSource,
  users: readonly string[],
  version: string,
): Promise<number> {
  const get = (path: string): Promise<Json> => source.get('compute', path, version);
  const ofUser = async (user: string): Promise<readonly Json[]> => {
    const keypairs = entriesOf(await get(`/os-keypairs?${user}`), 'keypairs');
    const names = keypairs.map(({ keypair }) => (keypair as Json)['name']);
    const found: Json[] = [];
    for (const name of names) {
      const { keypair } = await get(`/os-keypairs/${encodeURIComponent(String(name))}?${user}`);
      found.push(keypair as Json);
    }
    return found;
  };
  const listed = await source.each('key pairs of users', users, async (userId) => {
    const found = await ofUser(`user_id=${encodeURIComponent(userId)}`);
    return found.map((one): Json => ({ ...one, user_id: userId }));
  });
  const keypairs = await allOrOwn(listed.flat(), () => ofUser(''));
  for (const one of keypairs)
    await insertKeypair(
      db,
      {
        userId: String(one['user_id']),
        name: String(one['name']),
        type: keypairTypes.find((type) => type === one['type']) ?? 'ssh',
        fingerprint: String(one['fingerprint']),
        publicKey: String(one['public_key']),
      },
      timeOf(one['created_at']) ?? now,
    );
  return keypairs.length;
}
