// Captures the projects of a cloud. Users and their passwords cannot be read: the captured cloud
// has the users of any new one.
import type { Captured, CaptureSource } from '../../../../emulator/capture/model.ts';
import type { Context } from '../../../../kernel/model.ts';
import { insertProject, listProjects } from '../../store/resource/projects.ts';

/**
 * Inserts the projects into the default domain. A project whose name is taken, such as `admin`, has
 * the beginning of its id in the name.
 */
export async function captureIdentity({ db }: Context, source: CaptureSource): Promise<Captured> {
  const taken = new Set((await listProjects(db)).map(({ name }) => name.toLowerCase()));
  const known = new Set((await listProjects(db)).map(({ id }) => id));
  const projects = await source.list('identity', '/projects', 'projects');
  for (const one of projects) {
    const id = String(one['id']);
    if (known.has(id) || one['is_domain'] === true) continue;
    const own = String(one['name']);
    const name = taken.has(own.toLowerCase()) ? `${own}-${id.slice(0, 8)}` : own;
    taken.add(name.toLowerCase());
    await insertProject(db, {
      id,
      name,
      domainId: 'default',
      parentId: 'default',
      isDomain: false,
      enabled: one['enabled'] !== false,
      description: String(one['description'] ?? ''),
      tags: (one['tags'] ?? []) as readonly string[],
      options: {},
      extra: {},
      tokenEpoch: 0,
    });
  }
  return { projects: projects.length };
}
