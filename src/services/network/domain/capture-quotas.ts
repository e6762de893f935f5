// Captures the quotas of projects.
import { entriesOf } from '../../../emulator/capture/fields.ts';
import type { CaptureSource, Json } from '../../../emulator/capture/model.ts';
import type { Context } from '../../../kernel/model.ts';
import { projectIds } from '../clients/identity.ts';
import { setQuota } from '../store/quotas.ts';
import { defaultQuota } from './quotas.ts';

/**
 * Captures the quotas of projects, as far as they differ from those of a new cloud. The list has
 * only projects with quotas of their own; the others have the default of the captured cloud.
 */
export async function captureQuotas(context: Context, source: CaptureSource): Promise<void> {
  const here = await defaultQuota(context);
  const quotas = entriesOf(await source.get('network', '/v2.0/quotas'), 'quotas');
  const own = new Map(quotas.map((one) => [String(one['project_id'] ?? one['tenant_id']), one]));
  const projects = [...new Set([...(await projectIds(context)), ...own.keys()])];
  if (!projects.length) return;
  const { quota } = await source.get('network', `/v2.0/quotas/${projects[0]!}/default`);
  for (const project of projects) {
    const limits = { ...(quota as Json), ...own.get(project) };
    for (const [resource, limit] of Object.entries(here)) {
      const shown = limits[resource];
      if (typeof shown === 'number' && shown !== limit)
        await setQuota(context.db, project, resource, shown);
    }
  }
}
