// What the token of the request is good for: its catalog, and where else its user may go.
import { ok } from '../../../../kernel/http/reply.ts';
import { forbiddenPlainly } from '../../domain/refusals.ts';
import { domainsOf, projectsOf } from '../../domain/assignment/user-projects.ts';
import { rolesIn } from '../../domain/assignment/effective-roles.ts';
import { linkTo, wrapped } from '../../views/links.ts';
import { domainView, projectView } from '../../views/resource/projects.ts';
import { readCatalog } from '../../views/auth/tokens.ts';
import { allow } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** GET /v3/auth/catalog */
export async function showCatalog(call: Call): Promise<Reply> {
  allow(call, 'get_auth_catalog');
  const { userId, projectId } = call.caller!;
  if (projectId === undefined) throw forbiddenPlainly();
  const catalog = await readCatalog(call, { userId, projectId });
  return ok({ catalog, links: { self: linkTo(call, 'auth/catalog') } });
}

/** GET /v3/auth/projects */
export async function listProjects(call: Call): Promise<Reply> {
  allow(call, 'get_auth_projects');
  const projects = await projectsOf(call.db, call.caller!.userId);
  return ok(
    wrapped(
      call,
      'projects',
      projects.map((project) => projectView(call, project)),
    ),
  );
}

/** GET /v3/auth/domains */
export async function listDomains(call: Call): Promise<Reply> {
  allow(call, 'get_auth_domains');
  const domains = await domainsOf(call.db, call.caller!.userId);
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
  allow(call, 'get_auth_system');
  const held = await rolesIn(call.db, call.caller!.userId, { kind: 'system' });
  return ok({ system: held.length ? [{ all: true }] : [], links: { self: linkTo(call, 'auth/system') } });
}
