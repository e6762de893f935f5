// Captures the quotas of projects, and those of projects without any of their own.
import type { CaptureSource, Json } from '../../../../emulator/capture/model.ts';
import type { Context } from '../../../../kernel/model.ts';
import { writeClassLimit, writeLimit } from '../../store/quotas.ts';
import { projectIds } from '../../clients/identity.ts';
import { defaultLimits, limitsOf, type Limits } from '../quotas.ts';

/** Captures limits, as far as they differ from what the new cloud has without them. */
export async function captureQuotas(context: Context, source: CaptureSource): Promise<void> {
  const { db } = context;
  const { quota_class_set: defaults = {} } = await source.get(
    'volume',
    '/os-quota-class-sets/default',
  );
  for (const [resource, limit] of differing(await defaultLimits(context), defaults as Json))
    await writeClassLimit(db, 'default', resource, limit);
  const projects = await projectIds(context);
  const read = await source.each('quotas of volumes', projects, async (project) => {
    const { quota_set: own = {} } = await source.get('volume', `/os-quota-sets/${project}`);
    return own as Json;
  });
  for (const [at, project] of projects.entries())
    for (const [resource, limit] of differing(await limitsOf(context, project), read[at]!))
      await writeLimit(db, project, resource, limit);
}

/** The limits that a reply has, and that are not those of the new cloud. */
const differing = (limits: Limits, shown: Json): (readonly [string, number])[] =>
  [...limits].flatMap(([resource, limit]) => {
    const value = shown[resource];
    return typeof value === 'number' && value !== limit ? [[resource, value] as const] : [];
  });
