// What Identity says when it refuses. Upstream: keystone/exception.py.
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
  applicationCredential: 'Application Credential',
  accessRule: 'Access Rule',
  trust: 'trust',
  policy: 'policy',
  limit: 'limit',
  registeredLimit: 'registered limit',
  endpointGroup: 'Endpoint Group',
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
const joins: Partial<Record<Noun, string>> = { limit: ' for ', registeredLimit: ' for ' };

/** The resource does not exist. */
export const missing = (noun: Noun, id: string): ApiError => new MissingError(noun, id);

/** Whether `missing` returned this error, for that noun. */
export const isMissing = (error: unknown, noun: Noun): boolean =>
  error instanceof MissingError && error.noun === noun;

/** A failed sign-in. `identity` is what the authentication method reports, part of the reply. */
export class SignInError extends ApiError {
  readonly identity: object;
  constructor(message: string, identity: object) {
    super(401, message);
    this.identity = identity;
  }
}

/** The record of a lookup. @throws 404 where the lookup has found none */
export function found<T>(record: T | undefined, noun: Noun, id: string): T {
  if (record === undefined) throw missing(noun, id);
  return record;
}

/** Keystone's sentence about a bad request. */
export const malformed =
  'The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.';

/** The request lacks an attribute, or names a resource in it that does not exist. */
export const expecting = (attribute: string, where: string): ApiError =>
  badRequest(`Expecting to find ${attribute} in ${where}. ${malformed}`);

/** The answer to wrong credentials. It never says what was wrong. */
export const unauthenticated = (): ApiError =>
  unauthorized('The request you have made requires authentication.');

/** The action is named, but not the reason. */
export const forbiddenAction = (action: string): ApiError =>
  forbidden(`You are not authorized to perform the requested action: ${action}.`);

export const forbiddenPlainly = (): ApiError =>
  forbidden('You are not authorized to perform the requested action.');

/** A name or an id is taken. */
export function duplicate(
  type: string,
  name: string,
  domainId?: string | null,
  field = 'name',
): ApiError {
  const place = domainId ? ` at domain ID ${domainId}` : '';
  return conflict(
    `Conflict occurred attempting to store ${type} - Duplicate entry found with ${field} ${name}${place}.`,
  );
}

/** An association, or a limit, exists already. */
export const duplicateEntry = (type: string): ApiError =>
  conflict(`Conflict occurred attempting to store ${type} - Duplicate entry.`);

/**
 * Waits for a write that a unique key may refuse.
 * @throws the given refusal in place of the driver's error
 */
export async function unlessDuplicate(
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
 * The resource option `immutable` is set. Upstream: common/resource_options/options/immutable.py.
 */
export function refuseImmutable(type: string, id: string, verb: 'update' | 'delete'): ApiError {
  return forbidden(
    `Unable to ${verb} immutable ${type} resource: \`${id}. Set resource option "immutable" to false first.`,
  );
}

/** A change to an immutable resource may only remove that option. @throws 403 */
export function checkImmutable(
  type: string,
  resource: { readonly id: string; readonly options: object },
  fields: Readonly<Record<string, unknown>>,
): void {
  if (!('immutable' in resource.options) || !resource.options.immutable) return;
  const options = (fields['options'] ?? {}) as Record<string, unknown>;
  const releases =
    Object.keys(fields).length === 1 && 'immutable' in options && !options['immutable'];
  if (!releases) throw refuseImmutable(type, resource.id, 'update');
}

/** Refuses a text that is longer than upstream's column. @throws 400 */
export function checkLength(column: string, text: string | null, most: number): void {
  if (text === null || Array.from(text).length <= most) return;
  throw badRequest(
    `String length exceeded. The length of string '${text}' exceeds the limit of column ${column}(CHAR(${most})).`,
  );
}
