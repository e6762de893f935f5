// The users of OpenID providers for tests, below /_emulator.
import { centralContext } from '../../../../kernel/context.ts';
import { noContent, ok } from '../../../../kernel/http/reply.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';
import { deleteOidcUser, setOidcUser } from '../../domain/oidc/users.ts';
import type { OidcUser } from '../../model.ts';
import { listOidcUsers } from '../../store/oidc/users.ts';

const viewOf = ({ name, claims }: OidcUser): object => ({ name, claims });

/** GET /_emulator/oidc/{issuer}/users */
export async function list(call: Call): Promise<Reply> {
  const users = await listOidcUsers(centralContext(call).db, call.params['issuer']!);
  return ok({ users: users.map(viewOf) });
}

/** PUT /_emulator/oidc/{issuer}/users/{name} */
export async function update(call: Call): Promise<Reply> {
  const { issuer, name } = call.params as { issuer: string; name: string };
  const { password, claims = {} } = call.body as {
    password: string;
    claims?: OidcUser['claims'];
  };
  return ok({ user: viewOf(await setOidcUser(call, { issuer, name, password, claims })) });
}

/** DELETE /_emulator/oidc/{issuer}/users/{name} */
export async function remove(call: Call): Promise<Reply> {
  await deleteOidcUser(call, call.params['issuer']!, call.params['name']!);
  return noContent();
}
