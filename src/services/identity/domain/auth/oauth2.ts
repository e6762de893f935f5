// Tokens for clients of OAuth 2.0: an application credential is exchanged for a token. Upstream:
// keystone/api/os_oauth2.py. It does not read client certificates.
import { ApiError } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { Token } from '../../model.ts';
import type { SignedRequest } from '../oauth/signatures.ts';
import { OAuth2Error } from '../refusals.ts';
import { signIn } from './sign-in.ts';

/**
 * Issues a token for the application credential in the header Authorization, or else in the form.
 * @throws OAuth2Error
 */
export async function signInByForm(
  context: Context,
  form: URLSearchParams,
  signed: SignedRequest,
): Promise<Token> {
  const type = form.get('grant_type');
  if (type === null)
    throw new OAuth2Error(400, 'invalid_request', 'The parameter grant_type is required.');
  if (type !== 'client_credentials')
    throw new OAuth2Error(
      400,
      'unsupported_grant_type',
      `The parameter grant_type ${type} is not supported.`,
    );
  const { id, secret } = basicClient(signed.authorization) ?? {
    id: form.get('client_id'),
    secret: form.get('client_secret'),
  };
  if (!id || !secret) throw new OAuth2Error(401, 'invalid_client', 'Client authentication failed.');
  const identity = { methods: ['application_credential'], application_credential: { id, secret } };
  try {
    return await signIn(context, { identity }, { receiptId: '', signed });
  } catch (error) {
    throw error instanceof ApiError ? translated(error) : error;
  }
}

/** The client in a header of the type Basic; undefined for other headers. */
export function basicClient(
  authorization: string | undefined,
): Record<'id' | 'secret', string> | undefined {
  if (!authorization?.toLowerCase().startsWith('basic ')) return undefined;
  const [id = '', ...secret] = Buffer.from(authorization.slice(6), 'base64').toString().split(':');
  return { id, secret: secret.join(':') };
}

function translated({ status, message }: ApiError): OAuth2Error {
  if (status === 401) return new OAuth2Error(401, 'invalid_client', message);
  if (status === 400) return new OAuth2Error(400, 'invalid_request', message);
  const unknown = 'An unknown error occurred and failed to get an OAuth2.0 access token.';
  return new OAuth2Error(status, 'other_error', unknown);
}
