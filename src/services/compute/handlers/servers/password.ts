// The encrypted password that a guest posts to its metadata service: no guest of the emulator ever
// does.
import { noContent, ok } from '../../../../kernel/http/reply.ts';
import type { ComputeCall } from '../../call.ts';
import { serverOf } from './subject.ts';
import type { Reply } from '../../../../kernel/model.ts';

export async function show(call: ComputeCall): Promise<Reply> {
  await serverOf(call, 'os-server-password:show');
  return ok({ password: '' });
}

/** Clears the password, which is empty anyway. */
export async function remove(call: ComputeCall): Promise<Reply> {
  await serverOf(call, 'os-server-password:clear');
  return noContent();
}
