// The password that a machine would have told, encrypted, through its metadata: nothing here ever tells one.
import { noContent, ok } from '../../../../kernel/http/reply.ts';
import type { ComputeCall } from '../../call.ts';
import { serverOf } from './subject.ts';
import type { Reply } from '../../../../kernel/model.ts';

export async function show(call: ComputeCall): Promise<Reply> {
  await serverOf(call, 'os-server-password:show');
  return ok({ password: '' });
}

/** Forgets what was told, which is nothing; the machine itself keeps its password. */
export async function remove(call: ComputeCall): Promise<Reply> {
  await serverOf(call, 'os-server-password:clear');
  return noContent();
}
