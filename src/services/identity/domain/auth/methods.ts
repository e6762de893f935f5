// The names of the methods of authentication, as tokens carry them.

/** The methods by which a client can sign in. */
export const methodNames: readonly string[] = ['password', 'token', 'application_credential'];

/** The method of tokens for signed EC2 requests. Keystone's own API does not accept them. */
export const ec2Method = 'ec2credential';
