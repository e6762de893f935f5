// Which fields, parameters, headers and segments of paths have secret values. The names that the
// contracts mark with `secret` are among them; the others are those that people give to secrets in
// metadata and in other objects of free form.

/** Replaces a secret. */
export const hidden = '***';

/**
 * Names of passwords, passcodes, tokens, signatures, cookies, and data for servers. (PCI
 * passthrough is not secret.) The second part is for keys, such as `api_key`, `apikey` and
 * `AWSAccessKeyId`, other than public keys and keys to sort by.
 */
const secretName =
  /pass(?!through)|pwd|secret|token|credential|signature|private|blob|user_data|authorization|cookie|^contents$|(?<!public_?|public-|sort_)key(?:_?id)?$|(?:^|_)sig$/i;

/** Names of times, such as `password_expires_at`. */
const timeName = /_(?:at|expiry)$/i;

/** Names of parameters that are secret in a query, besides these. */
const secretParameter = /^code$/i;

/** Whether the values of fields with this name are secret, unless `isSecretField` knows better. */
export const isSecretName = (name: string): boolean =>
  secretName.test(name) && !timeName.test(name);

/** Whether the values of a parameter in a query are secret. */
export const isSecretParameter = (name: string): boolean =>
  isSecretName(name) || secretParameter.test(name);

/** Fields that are secret by their place: the name of the object that contains them, and theirs. */
const secretPlaces: ReadonlySet<string> = new Set([
  'token.id',
  'mapped.id', // a token, in the methods of federation
  'openid.id',
  'saml2.id',
  'credentials.access',
  'credential.access',
  'ec2Credentials.access',
]);

/** Objects that have a name like a secret, and contain fields of which only some are secret. */
const containers: ReadonlySet<string> = new Set([
  'identity.password',
  'identity.token',
  'identity.application_credential',
  '.application_credential',
  '.changePassword',
  '.credential',
  '.credentials',
  '.ec2Credentials',
]);

/** Objects whose names the client chooses, and in which `key` is a usual example. */
const freeForm = /metadata|properties|^extra_specs$|^specs$|tag/i;

/** A field of a JSON object. */
interface Field {
  readonly name: string;
  readonly value: unknown;
  /** The name of the object that contains it; empty at the top. */
  readonly parent: string;
  /** Whether the object describes a name and its value, as `{"key": "color", "value": "red"}`. */
  readonly isPair: boolean;
}

/** Whether the value of a field is secret, whatever its type. */
export function isSecretField({ name, value, parent, isPair }: Field): boolean {
  if (name === 'id' || name === 'access') return secretPlaces.has(`${parent}.${name}`);
  // A code of OAuth is a text; that of an error is a number.
  if (name === 'code' && parent === '') return typeof value !== 'number';
  if (!isSecretName(name)) return false;
  if (name === 'key') return !isPair && !freeForm.test(parent);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return !(isObject && containers.has(`${parent}.${name}`));
}

/** Headers with secret values. */
export const secretHeaders = [
  'x-auth-token',
  'x-subject-token',
  'x-service-token',
  'x-control-token',
  'authorization',
  'openstack-auth-receipt',
  'cookie',
] as const;

/**
 * Segments of paths that are secret by the one before them: a token of an old API or of a console,
 * the id of a webhook, which is all that a caller of it needs (a receiver has the same id), and the
 * access key of an EC2 credential.
 */
export const secretSegment =
  /(?<=\/(?:tokens|os-console-auth-tokens|webhooks|receivers|OS-EC2)\/{1,2})[^/]+/g;

/** The segments of those that alone give access, so that errors do not quote them either. */
export const capability = /(?<=\/(?:tokens|os-console-auth-tokens|webhooks)\/{1,2})[^/]+/g;
