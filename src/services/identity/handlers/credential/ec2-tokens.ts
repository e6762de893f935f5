// Tokens for requests to EC2 and S3 that are signed with EC2 credentials.
import { ok } from '../../../../kernel/http/reply.ts';
import type { Fields } from '../../domain/attributes.ts';
import { signInByEc2, signInByS3 } from '../../domain/credential/ec2-tokens.ts';
import { tokenBody } from '../auth/tokens.ts';
import { enforce } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** POST /v3/ec2tokens */
export async function create(call: Call): Promise<Reply> {
  enforce(call, 'ec2tokens_validate');
  const token = await signInByEc2(call, call.body as Fields);
  return ok(await tokenBody(call, token), { 'x-subject-token': token.id });
}

/** POST /v3/s3tokens; the reply has no token, only what it would contain, as upstream. */
export async function createForS3(call: Call): Promise<Reply> {
  enforce(call, 's3tokens_validate');
  return ok(await tokenBody(call, await signInByS3(call, call.body as Fields)));
}
