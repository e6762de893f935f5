// Which resources an actor may see, and the project that it creates resources in.
import { forbidden } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';

/**
 * Returns whether the actor may see a resource. An administrator may see the resources of every
 * project.
 */
export const isVisible = (
  { actor }: Pick<Context, 'actor'>,
  { projectId }: { readonly projectId: string },
): boolean => actor.isAdmin || projectId === actor.projectId;

/** Returns the actor's project. @throws 403 for a token without a project */
export function projectOf({ actor }: Pick<Context, 'actor'>): string {
  if (actor.projectId === undefined) throw forbidden('A token of a project is required.');
  return actor.projectId;
}
