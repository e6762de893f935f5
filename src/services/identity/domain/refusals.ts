// The errors that Identity's handlers return. Upstream: keystone/exception.py.
import { isDuplicate } from '../../../kernel/db/errors.ts';
import { badRequest, conflict, ApiError, forbidden, unauthorized } from '../../../kernel/errors.ts';

const nouns = {
  user: 'user',
  group: 'group',
  project: 'project',
  domain: 'domain',
  role: 'role',
  region: 'region',
  service: 'service',
  endpoint: 'endpoint',
  credential: 'credential',
  token: 'token',
  tag: 'project tag',
  application_credential: 'Application Credential',
  access_rule: 'Access Rule',
  trust: 'trust',
  policy: 'policy',
  limit: 'limit',
  registered_limit: 'registered limit',
  endpoint_group: 'Endpoint Group',
  identity_provider: 'Identity Provider',
  mapping: 'mapping',
  service_provider: 'Service Provider',
} as const;

export type Noun = keyof typeof nouns;

class MissingError extends ApiError {
  readonly noun: Noun;
  constructor(noun: Noun, id: string) {
    super(404, `Could not find ${nouns[noun]}${joins[noun] ?? ': '}${id}.`);
    this.noun = noun;
  }
}

/** The text between the noun and the id, if it is not a colon. */
const joins: Partial<Record<Noun, string>> = { limit: ' for ', registered_limit: ' for ' };

/** The error for a resource that does not exist. */
export const missing = (noun: Noun, id: string): ApiError => new MissingError(noun, id);

/** Whether an error was created by `missing` for that noun. */
export const isMissing = (error: unknown, noun: Noun): boolean =>
  error instanceof MissingError && error.noun === noun;

/**
 * A failed sign-in. The reply includes `identity`, which is what the authentication method reports.
 */
export class SignInError extends ApiError {
  readonly identity: object;
  constructor(message: string, identity: object) {
    super(401, message);
    this.identity = identity;
  }
}

/** A sign-in that needs more methods. The reply has a receipt for those that have succeeded. */
export class ReceiptError extends ApiError {
  readonly receiptId: string;
  readonly body: object;
  constructor(receiptId: string, body: object) {
    super(401, 'Additional authentications required');
    this.receiptId = receiptId;
    this.body = body;
  }
}

/** An error in the format of OAuth 2.0 (RFC 6749). */
export class OAuth2Error extends ApiError {
  readonly error: string;
  constructor(status: number, error: string, description: string) {
    super(status, description);
    this.error = error;
  }
}

/** Returns the record that a lookup has found. @throws 404 if the record is undefined */
export function found<T>(record: T | undefined, noun: Noun, id: string): T {
  if (record === undefined) throw missing(noun, id);
  return record;
}

/** Keystone's sentence about a bad request. */
export const malformed =
  'The server could not comply with the request since it is either malformed or ' +
  'otherwise incorrect. The client is assumed to be in error.';

/**
 * The error for a request that lacks an attribute, or whose attribute names an unknown resource.
 */
export const expecting = (attribute: string, where: string): ApiError =>
  badRequest(`Expecting to find ${attribute} in ${where}. ${malformed}`);

/** The error for wrong credentials. It never says what was wrong. */
export const unauthenticated = (): ApiError =>
  unauthorized('The request you have made requires authentication.');

/** A 403 that names the action but not the reason. */
export const forbiddenAction = (action: string): ApiError =>
  forbidden(`You are not authorized to perform the requested action: ${action}.`);

/** A 403 that names neither the action nor the reason. */
export const forbiddenWithoutReason = (): ApiError =>
  forbidden('You are not authorized to perform the requested action.');

/** The error for a name or an id that is already in use. */
export function duplicate(
  type: string,
  name: string,
  domainId?: string | null,
  field = 'name',
): ApiError {
  const location = domainId ? ` at domain ID ${domainId}` : '';
  return conflict(
    `Conflict occurred attempting to store ${type} - Duplicate entry found with ` +
      `${field} ${name}${location}.`,
  );
}

/** The error for an association or a limit that already exists. */
export const duplicateEntry = (type: string): ApiError =>
  conflict(`Conflict occurred attempting to store ${type} - Duplicate entry.`);

/**
 * Waits for a write.
 * @throws the given error instead of the driver's error, if a unique key rejects the write
 */
export async function refuseOnDuplicate(
  write: Promise<void>,
  refusal: () => ApiError,
): Promise<void> {
  try {
    await write;
  } catch (error) {
    throw isDuplicate(error) ? refusal() : error;
  }
}

/**
 * The error for a resource with the option `immutable`. Upstream:
 * common/resource_options/options/immutable.py.
 */
export function refuseImmutable(type: string, id: string, verb: 'update' | 'delete'): ApiError {
  return forbidden(
    `Unable to ${verb} immutable ${type} resource: \`${id}. Set resource option ` +
      '"immutable" to false first.',
  );
}

/** Rejects any change to an immutable resource, except removing that option. @throws 403 */
export function checkImmutable(
  type: string,
  resource: { readonly id: string; readonly options: object },
  fields: Readonly<Record<string, unknown>>,
): void {
  if (!('immutable' in resource.options) || !resource.options.immutable) return;
  const options = (fields['options'] ?? {}) as Record<string, unknown>;
  const removesOption =
    Object.keys(fields).length === 1 && 'immutable' in options && !options['immutable'];
  if (!removesOption) throw refuseImmutable(type, resource.id, 'update');
}

/** Rejects a string that is longer than upstream's column. @throws 400 */
export function checkLength(column: string, text: string | null, maxLength: number): void {
  if (text === null || Array.from(text).length <= maxLength) return;
  throw badRequest(
    `String length exceeded. The length of string '${text}' exceeds the limit of ` +
      `column ${column}(CHAR(${maxLength})).`,
  );
}
