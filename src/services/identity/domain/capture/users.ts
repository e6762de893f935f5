// Captures the users and groups of a cloud.
import { entriesOf, identityFields } from '../../../../emulator/capture/fields.ts';
import type { CaptureSource, Json } from '../../../../emulator/capture/model.ts';
import type { Context } from '../../../../kernel/model.ts';
import { addMember, insertGroup, listGroups } from '../../store/identity/groups.ts';
import { findUser, insertUser, listUsers } from '../../store/identity/users.ts';
import { extraOf } from '../attributes.ts';
import { blankUser } from '../identity/blank-user.ts';
import { seededId } from '../seeded-ids.ts';
import { FreeNames } from './names.ts';

/**
 * Captures users without their options, which are rules for passwords. No API shows passwords: all
 * users get that of `admin` in a new cloud.
 * @returns how many
 */
export async function captureUsers(
  { db }: Context,
  source: CaptureSource,
  domains: ReadonlySet<string>,
): Promise<number> {
  const names = new FreeNames(await listUsers(db));
  const { passwordHash } = (await findUser(db, seededId('user', 'admin')))!;
  const users = await listIn(source, 'users', domains);
  for (const one of users) {
    if (names.has(one)) continue;
    const domainId = String(one['domain_id']);
    await insertUser(db, {
      ...blankUser,
      id: String(one['id']),
      name: names.take(one, domainId),
      domainId,
      enabled: one['enabled'] !== false,
      defaultProjectId: (one['default_project_id'] ?? null) as string | null,
      passwordHash,
      extra: extraOf(one, [...identityFields]),
    });
  }
  return users.length;
}

/** Captures groups with their members. @returns how many */
export async function captureGroups(
  { db }: Context,
  source: CaptureSource,
  domains: ReadonlySet<string>,
): Promise<number> {
  const names = new FreeNames(await listGroups(db));
  const users = new Set((await listUsers(db)).map(({ id }) => id));
  const groups = await listIn(source, 'groups', domains);
  const members = await source.each('groups', groups, async ({ id }) => {
    const path = `/groups/${String(id)}/users`;
    return entriesOf(await source.get('identity', path), 'users').map((one) => String(one['id']));
  });
  for (const [at, one] of groups.entries()) {
    const [id, domainId] = [String(one['id']), String(one['domain_id'])];
    if (!names.has(one))
      await insertGroup(db, {
        id,
        name: names.take(one, domainId),
        domainId,
        description: (one['description'] ?? null) as string | null,
        extra: extraOf(one, [...identityFields]),
      });
    for (const user of members[at]!) if (users.has(user)) await addMember(db, id, user);
  }
  return groups.length;
}

/** Lists users or groups by domain, because each domain can have another backend. */
async function listIn(
  source: CaptureSource,
  key: 'users' | 'groups',
  domains: ReadonlySet<string>,
): Promise<Json[]> {
  const found: Json[] = [];
  for (const domain of domains) {
    const path = `/${key}?domain_id=${encodeURIComponent(domain)}`;
    found.push(...(await source.list('identity', path, key)));
  }
  return found;
}
