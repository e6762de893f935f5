// The encrypted password that a guest posts to the metadata service. The emulator has no guests, so
// the password is always empty.
import { noContent, ok } from '../../../../kernel/http/reply.ts';
import type { ComputeCall } from '../../call.ts';
import { serverOf } from './subject.ts';
import type { Reply } from '../../../../kernel/model.ts';

export async function show(call: ComputeCall): Promise<Reply> {
  await serverOf(call, 'os-server-password:show');
  return ok({ password: '' });
}

/** Has no effect, because the password is always empty. */
export async function remove(call: ComputeCall): Promise<Reply> {
  await serverOf(call, 'os-server-password:clear');
  return noContent();
}
