// What identity says when it refuses. Upstream: keystone/exception.py.
import { badRequest, conflict, Fault, forbidden, notFound, unauthorized } from '../../../kernel/fault.ts';

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

/** There is no such thing. */
export const missing = (noun: Noun, id: string): Fault =>
  notFound(`Could not find ${nouns[noun]}${joins[noun] ?? ': '}${id}.`, { noun });

/** What stands between the noun and the id, where it is not a colon. */
const joins: Partial<Record<Noun, string>> = { limit: ' for ', registeredLimit: ' for ' };

/** Whether it is the refusal that there is no such thing. */
export const isMissing = (error: unknown, noun: Noun): boolean => error instanceof Fault && error.details['noun'] === noun;

/** The thing, or the refusal that it is not there. @throws 404 */
export function found<T>(thing: T | undefined, noun: Noun, id: string): T {
  if (thing === undefined) throw missing(noun, id);
  return thing;
}

/** Something that the request should have had. */
export const expecting = (attribute: string, where: string): Fault =>
  badRequest(
    `Expecting to find ${attribute} in ${where}. The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.`,
  );

/** The answer to wrong credentials: never says what was wrong. */
export const unauthenticated = (): Fault => unauthorized('The request you have made requires authentication.');

/** The action is named, but not why it is refused. */
export const forbiddenAction = (action: string): Fault =>
  forbidden(`You are not authorized to perform the requested action: ${action}.`);

export const forbiddenPlainly = (): Fault => forbidden('You are not authorized to perform the requested action.');

/** A name or an id is taken. */
export function duplicate(type: string, name: string, domainId?: string | null, field = 'name'): Fault {
  const place = domainId ? ` at domain ID ${domainId}` : '';
  return conflict(`Conflict occurred attempting to store ${type} - Duplicate entry found with ${field} ${name}${place}.`);
}

/** An immutable thing changes only by making it mutable. Upstream: common/resource_options/options/immutable.py. */
export function refuseImmutable(type: string, id: string, verb: 'update' | 'delete'): Fault {
  return forbidden(`Unable to ${verb} immutable ${type} resource: \`${id}. Set resource option "immutable" to false first.`);
}

/** A text that is longer than upstream's column takes. @throws 400 */
export function checkLength(column: string, text: string | null, most: number): void {
  if (text === null || Array.from(text).length <= most) return;
  throw badRequest(
    `String length exceeded. The length of string '${text}' exceeds the limit of column ${column}(CHAR(${most})).`,
  );
}
