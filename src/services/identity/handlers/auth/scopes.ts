// Lists the projects, domains and system that the user of a token can request a scope for, and
// shows the token's catalog.
import { ok } from '../../../../kernel/http/reply.ts';
import { rolesInScope } from '../../domain/assignment/effective-roles.ts';
import { domainsOfUser, projectsOfUser } from '../../domain/assignment/user-projects.ts';
import { readCatalog } from '../../domain/catalog/token-catalog.ts';
import { forbiddenWithoutReason } from '../../domain/refusals.ts';
import { catalogView } from '../../views/catalog/catalog.ts';
import { linkTo, wrapped } from '../../views/links.ts';
import { domainView, projectView } from '../../views/resource/projects.ts';
import { enforce, tokenOf } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** GET /v3/auth/catalog */
export async function showCatalog(call: Call): Promise<Reply> {
  enforce(call, 'get_auth_catalog');
  const { userId, projectId } = call.caller!;
  if (projectId === undefined) throw forbiddenWithoutReason();
  const catalog = catalogView(call, await readCatalog(call.db, { userId, projectId }));
  return ok({ catalog, links: { self: linkTo(call, 'auth/catalog') } });
}

/** The groups that the token has by federation. */
const federatedIds = (call: Call): readonly string[] => tokenOf(call)?.federation?.groupIds ?? [];

/** GET /v3/auth/projects, and /v3/OS-FEDERATION/projects */
export async function listProjects(call: Call): Promise<Reply> {
  enforce(call, 'get_auth_projects');
  const projects = await projectsOfUser(call, call.caller!.userId, federatedIds(call));
  return ok(
    wrapped(
      call,
      'projects',
      projects.map((project) => projectView(call, project)),
    ),
  );
}

/** GET /v3/auth/domains, and /v3/OS-FEDERATION/domains */
export async function listDomains(call: Call): Promise<Reply> {
  enforce(call, 'get_auth_domains');
  const domains = await domainsOfUser(call, call.caller!.userId, federatedIds(call));
  return ok(
    wrapped(
      call,
      'domains',
      domains.map((domain) => domainView(call, domain)),
    ),
  );
}

/** GET /v3/auth/system */
export async function listSystems(call: Call): Promise<Reply> {
  enforce(call, 'get_auth_system');
  const roles = await rolesInScope(
    call,
    call.caller!.userId,
    { kind: 'system' },
    federatedIds(call),
  );
  return ok({
    system: roles.length ? [{ all: true }] : [],
    links: { self: linkTo(call, 'auth/system') },
  });
}
