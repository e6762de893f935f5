// Lets an administrator create a resource that comes from another cloud: with its id, its owner and
// its age. The header is not in upstream, whose services ignore it.
import { contextWith } from '../context.ts';
import type { Micros } from '../clock.ts';
import { badRequest } from '../errors.ts';
import { isUuidLike } from '../ids.ts';
import type { Call, Context } from '../model.ts';

/** The header, whose value is JSON. */
export const importHeader = 'x-cumulet-import';

/** What a resource keeps when it comes from another cloud. */
export interface Imported {
  readonly id: string;
  readonly projectId: string;
  readonly userId: string;
  readonly createdAt: Micros;
}

const invalid = () => badRequest(`The header ${importHeader} is invalid.`);

/** The value of the header. */
export const importValue = ({ id, projectId, userId, createdAt }: Imported): string =>
  JSON.stringify({ id, project_id: projectId, user_id: userId, created_at: createdAt });

/**
 * Reads the header of a request. Only administrators can send it: like an upstream service, a
 * request of anybody else ignores it.
 * @throws 400
 */
export function readImport({ actor, headers }: Call): Imported | undefined {
  const value = headers[importHeader];
  if (typeof value !== 'string' || !actor.isAdmin) return undefined;
  const { id, project_id: projectId, user_id: userId, created_at: createdAt } = parse(value);
  const isValid =
    typeof id === 'string' &&
    isUuidLike(id) &&
    isName(projectId) &&
    isName(userId) &&
    Number.isSafeInteger(createdAt);
  if (!isValid || (createdAt as number) < 0) throw invalid();
  return {
    id,
    projectId: projectId as string,
    userId: userId as string,
    createdAt: createdAt as number,
  };
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    throw invalid();
  }
}

const isName = (value: unknown): boolean =>
  typeof value === 'string' && value !== '' && value.length <= 255;

/** The context in which an imported resource is created: its owner is the actor. */
export const importContext = (
  context: Context,
  imported: Pick<Imported, 'projectId' | 'userId'> | null,
): Context =>
  imported
    ? contextWith(context, {
        actor: { ...context.actor, projectId: imported.projectId, userId: imported.userId },
      })
    : context;
