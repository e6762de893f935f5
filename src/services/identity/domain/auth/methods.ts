// The names of authentication methods, as tokens carry them.

/** The methods of federation. Upstream has `mapped`, and the others if its options name them. */
export const federatedMethods: readonly string[] = ['mapped', 'openid', 'saml2'];

/** The methods that clients can sign in with. */
export const methodNames: readonly string[] = [
  'password',
  'token',
  'totp',
  'oauth1',
  ...federatedMethods,
  'application_credential',
];

/** The method of tokens for signed EC2 requests, which Keystone's own API rejects. */
export const ec2Method = 'ec2credential';
