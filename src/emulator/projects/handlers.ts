// Handlers of /_emulator/projects: create, list and delete throw-away projects.
import { emulatedNow, isoMicros } from '../../kernel/clock.ts';
import { ok, reply } from '../../kernel/http/reply.ts';
import type { Call, Reply } from '../../kernel/model.ts';
import { regionNames, syncRegions } from '../../kernel/regions.ts';
import { cloudsYamlOf, environmentOf } from './credentials.ts';
import type { ProjectRequest, ThrowawayProject } from './model.ts';
import { createThrowaway, removeThrowaway } from './projects.ts';
import { listProjects } from './store.ts';

const view = ({ id, name, domainId, userId, createdAt }: Omit<ThrowawayProject, 'number'>) => ({
  id,
  name,
  domain_id: domainId,
  user_id: userId,
  created_at: isoMicros(createdAt),
});

/** GET /_emulator/projects */
export async function list({ cloud }: Call): Promise<Reply> {
  return ok({ projects: (await listProjects(cloud.central.db)).map(view) });
}

/** POST /_emulator/projects @throws 400, 409 */
export async function create({ cloud, body, origin }: Call): Promise<Reply> {
  await syncRegions(cloud);
  const now = emulatedNow((await cloud.sharedState.read()).clock);
  const project = await createThrowaway(cloud, now, (body ?? {}) as ProjectRequest);
  const { roles, password, token, networks } = project;
  const address = { origin, regions: regionNames(cloud) };
  return reply(201, {
    project: {
      ...view(project),
      roles,
      password,
      token,
      env: environmentOf(address, project),
      clouds_yaml: cloudsYamlOf(address, project),
      networks,
    },
  });
}

/** DELETE /_emulator/projects/:id @throws 404 */
export async function remove({ cloud, params }: Call): Promise<Reply> {
  await syncRegions(cloud);
  const now = emulatedNow((await cloud.sharedState.read()).clock);
  return ok({ removed: await removeThrowaway(cloud, now, params['id']!) });
}
