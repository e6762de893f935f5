// The preference of the caller's project for new volumes: show, update.
import { ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { TricircleCall } from '../call.ts';
import { typed } from '../domain/errors.ts';
import { changeVolumePlacement, readVolumePlacement } from '../domain/volume-placement.ts';
import { volumePlacementView } from '../views/volume-placement.ts';
import { readObject } from './requests.ts';

/** GET /v1.0/volume-placement */
export async function show(call: TricircleCall): Promise<Reply> {
  const placement = await readVolumePlacement(call, projectOf(call));
  return ok({ volume_placement: volumePlacementView(placement) });
}

/** PUT /v1.0/volume-placement */
export async function update(call: TricircleCall): Promise<Reply> {
  const fields = readObject(call, 'volume_placement', () =>
    typed(400, 'Request body volume_placement not found'),
  );
  const placement = await changeVolumePlacement(call, projectOf(call), fields);
  return ok({ volume_placement: volumePlacementView(placement) });
}

/** @throws 403 without a project */
function projectOf({ caller }: TricircleCall): string {
  const projectId = caller?.projectId;
  if (projectId === undefined) throw typed(403, 'A token of a project is needed');
  return projectId;
}
