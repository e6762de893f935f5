// Explains an action on a cluster without taking it.
import { dryRun } from '../../../emulator/explain/dry-run.ts';
import { explanationFormat } from '../../../emulator/explain/model.ts';
import { ok } from '../../../kernel/http/reply.ts';
import type { Call, Reply } from '../../../kernel/model.ts';
import { regionNamed } from '../../../kernel/regions.ts';
import { previewAction } from '../domain/clusters/preview.ts';
import type { Json } from '../model.ts';

/**
 * POST /_emulator/explain/actions: what an action would do to a cluster now.
 * @throws 400, 404, and 409 if several clusters have the name
 */
export async function explain(call: Call): Promise<Reply> {
  const { cluster, action } = call.body as { cluster: string; action: Json };
  const region = regionNamed(call.cloud, call.query.last('region'));
  const explanation = await dryRun(call, region, (context, explanations) =>
    previewAction(context, cluster, action, explanations),
  );
  return ok({ explanation: { format: explanationFormat, region: region.name, ...explanation } });
}
