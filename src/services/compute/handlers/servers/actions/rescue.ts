// The action rescue: the server boots from a rescue image.
import { ok } from '../../../../../kernel/http/reply.ts';
import type { ComputeCall } from '../../../call.ts';
import { rescue } from '../../../domain/lifecycle/rescue.ts';
import { serverOf } from '../subject.ts';
import { shownPassword } from '../servers.ts';
import { argumentsOf } from '../../action-body.ts';
import type { Reply } from '../../../../../kernel/model.ts';

interface RescueBody {
  adminPass?: string;
  rescue_image_ref?: string;
}

export async function rescueServer(call: ComputeCall): Promise<Reply> {
  const { adminPass, rescue_image_ref: imageId } =
    argumentsOf<RescueBody | null>(call, 'rescue') ?? {};
  const server = await serverOf(call, 'os-rescue');
  await rescue(call, server, { imageId: imageId ?? null, mayBeOnVolume: call.version.has('2.87') });
  return ok(await shownPassword(call, adminPass));
}
