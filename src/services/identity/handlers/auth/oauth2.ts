// Tokens for clients of OAuth 2.0.
import { mediaType } from '../../../../kernel/http/steps.ts';
import { ok } from '../../../../kernel/http/reply.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';
import { signInByForm } from '../../domain/auth/oauth2.ts';
import { loadSettings } from '../../domain/settings.ts';
import { signedRequest } from '../oauth/tokens.ts';

/** POST /v3/OS-OAUTH2/token */
export async function create(call: Call): Promise<Reply> {
  const isForm = mediaType(call) === 'application/x-www-form-urlencoded';
  const form = new URLSearchParams(isForm ? call.raw?.toString() : '');
  const token = await signInByForm(call, form, signedRequest(call));
  const { tokenExpiration } = await loadSettings(call);
  return ok({ access_token: token.id, token_type: 'Bearer', expires_in: tokenExpiration });
}
