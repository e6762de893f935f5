// Stored credentials and EC2 credentials in the format of the API.
import { ec2Keys } from '../../domain/credential/ec2-credentials.ts';
import type { Credential } from '../../model.ts';
import { linkTo, type View } from '../links.ts';
import type { Call } from '../../../../kernel/model.ts';

export const credentialView = (
  call: Call,
  { id, userId, projectId, type, blob, extra }: Credential,
): View => ({
  ...extra,
  id,
  user_id: userId,
  project_id: projectId,
  type,
  blob,
  links: { self: linkTo(call, `credentials/${id}`) },
});

/** An EC2 credential, which is a stored credential of the type `ec2`. */
export function ec2CredentialView(call: Call, credential: Credential): object {
  const { access, secret, trustId } = ec2Keys(credential);
  return {
    user_id: credential.userId,
    tenant_id: credential.projectId,
    access,
    secret,
    trust_id: trustId,
    links: { self: linkTo(call, `users/${credential.userId}/credentials/OS-EC2/${access}`) },
  };
}
