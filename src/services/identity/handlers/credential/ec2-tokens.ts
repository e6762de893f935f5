// Tokens for those who show a request that was signed with keys for EC2.
import { ok } from '../../../../kernel/http/reply.ts';
import { signInByEc2 } from '../../domain/credential/ec2-tokens.ts';
import { tokenView } from '../../views/auth/tokens.ts';
import { allow, type Fields } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** POST /v3/ec2tokens */
export async function create(call: Call): Promise<Reply> {
  allow(call, 'ec2tokens_validate');
  const token = await signInByEc2(call.db, call.body as Fields, call.now);
  return ok(await tokenView(call, token), { 'x-subject-token': token.id });
}
