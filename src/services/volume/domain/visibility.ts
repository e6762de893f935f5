// Whose resources an actor sees, and the project that it creates them in.
import { forbidden } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';

/**
 * Whether the actor sees a resource: that of its own project, and for an administrator that of
 * every project.
 */
export const isVisible = (
  { actor }: Pick<Context, 'actor'>,
  { projectId }: { readonly projectId: string },
): boolean => actor.isAdmin || projectId === actor.projectId;

/** The actor's project. @throws 403 for a token without one */
export function projectOf({ actor }: Pick<Context, 'actor'>): string {
  if (actor.projectId === undefined) throw forbidden('A token of a project is required.');
  return actor.projectId;
}
