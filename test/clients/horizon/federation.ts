// Makes an emulator's Identity ready for single sign-on to a dashboard.
import type { Emulator } from '../../support/processes.ts';
import { tokenOf } from '../../support/tokens.ts';

/** The rules of a mapping by which each user is a member of a new project. */
const rules = [
  {
    local: [
      { user: { name: '{0}' } },
      { projects: [{ name: 'partners', roles: [{ name: 'member' }] }] },
    ],
    remote: [{ type: 'HTTP_OIDC_SUB' }],
  },
];

/** Creates the user `ann` of an OpenID provider, whose users may sign in to the dashboard. */
export async function allowSingleSignOn(
  { origin }: Pick<Emulator, 'origin'>,
  dashboard: string,
): Promise<void> {
  const put = async (path: string, body: object, token = ''): Promise<void> => {
    const reply = await fetch(`${origin}${path}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', ...(token ? { 'x-auth-token': token } : {}) },
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(`PUT ${path}: ${reply.status} ${await reply.text()}`);
  };
  const token = await tokenOf(origin, 'admin');
  const root = '/identity/v3/OS-FEDERATION';
  const provider = { enabled: true, remote_ids: [`${origin}/identity/oidc/partner`] };
  await put('/_emulator/identity/settings', { trusted_dashboard: [`${dashboard}/auth/websso/`] });
  await put('/_emulator/oidc/partner/users/ann', { password: 'pw' });
  await put(`${root}/mappings/partners`, { mapping: { rules } }, token);
  const at = `${root}/identity_providers/partner`;
  await put(at, { identity_provider: provider }, token);
  await put(`${at}/protocols/openid`, { protocol: { mapping_id: 'partners' } }, token);
}
