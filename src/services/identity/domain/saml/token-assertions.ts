// Assertions about the users of tokens, with which they sign in to other clouds. Upstream:
// keystone/api/_shared/saml.py.
import { SECOND } from '../../../../kernel/clock.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import { notFound } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { Xml } from '../../../../kernel/xml/build.ts';
import { findServiceProvider } from '../../store/federation/service-providers.ts';
import { findGroups } from '../../store/identity/groups.ts';
import { findProjects } from '../../store/resource/projects.ts';
import { requireToken } from '../auth/tokens.ts';
import { currentGroupIds } from '../federation/memberships.ts';
import type { ServiceProvider } from '../../model.ts';
import { forbiddenAction, forbiddenWithoutReason, found, isMissing } from '../refusals.ts';
import { loadSettings } from '../settings.ts';
import { envelopeOf, relayState } from './envelopes.ts';
import { signingKey } from './keys.ts';
import { ownEntityId, type Site } from './names.ts';
import { responseOf, type SamlAttribute } from './responses.ts';

/** `auth` in the body of a request for an assertion. */
export interface AssertionRequest {
  readonly identity: { readonly token: { readonly id: string } };
  readonly scope: { readonly service_provider: { readonly id: string } };
}

/** A response, and the service provider that it is for. */
export interface TokenAssertion {
  readonly response: Xml;
  readonly provider: ServiceProvider;
}

/**
 * A response about the user of a token, for a service provider.
 * @throws 403 if the provider is disabled or the token has no project, 404
 */
export async function assertionOfToken(
  context: Context,
  site: Site,
  { identity, scope }: AssertionRequest,
): Promise<TokenAssertion> {
  const { db, now } = context;
  const { id } = scope.service_provider;
  const provider = found(await findServiceProvider(db, id), 'service_provider', id);
  if (!provider.enabled) throw forbiddenWithoutReason();
  const token = await requireToken(context, identity.token.id).catch((error: unknown) => {
    // Keystone repeats the token in its reply.
    throw isMissing(error, 'token') ? notFound('Failed to validate token') : error;
  });
  const { project, projectDomain, user, userDomain, roles } = token;
  if (!project || !projectDomain)
    throw forbiddenAction('Use a project scoped token when attempting to create a SAML assertion');
  const settings = await loadSettings({ db });
  const groups = await groupsOf(context, user.id);
  const attributes: SamlAttribute[] = [
    ['openstack_user', [user.name]],
    ['openstack_roles', roles.map(({ name }) => name)],
    ['openstack_project', [project.name]],
    ['openstack_project_domain', [projectDomain.name]],
    ['openstack_user_domain', [userDomain.name]],
    ...(groups.length ? [['openstack_groups', groups] as const] : []),
  ];
  const content = {
    issuer: settings.idpEntityId ?? ownEntityId(site),
    recipient: provider.spUrl,
    subject: user.name,
    attributes,
    issuedAt: now,
    expiresAt: now + settings.assertionExpirationTime * SECOND,
  };
  return { response: responseOf(content, await signingKey(context)), provider };
}

/** The groups of a user with their domains, in JSON as Python writes it, for mappings. */
async function groupsOf(context: Context, userId: string): Promise<string[]> {
  const { db } = context;
  const groups = await findGroups(db, await currentGroupIds(context, userId));
  const domains = await findProjects(
    db,
    groups.map(({ domainId }) => domainId),
  );
  const names = new Map(domains.map(({ id, name }) => [id, name]));
  return groups.map(({ name, domainId }) => {
    const domain = pythonText(names.get(domainId)!);
    return `JSON:{"name": ${pythonText(name)}, "domain": {"name": ${domain}}}`;
  });
}

/** A text in JSON, in ASCII. */
const pythonText = (text: string): string =>
  JSON.stringify(text).replaceAll(
    /[^\x20-\x7e]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** The response in an envelope of SOAP, as a client sends it to the service provider. */
export const ecpEnvelope = ({ response, provider }: TokenAssertion): Xml =>
  envelopeOf([relayState(`${provider.relayStatePrefix}${newHexId()}`)], response);
