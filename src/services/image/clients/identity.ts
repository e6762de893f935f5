// Calls of Identity: reads the limits of a project.
import type { Context } from '../../../kernel/model.ts';
import * as identity from '../../identity/index.ts';

/** The limits of a project on the resources of Image, by the name of the resource. */
export const registeredLimitsOf = (
  context: Context,
  projectId: string,
): Promise<ReadonlyMap<string, number>> =>
  identity.resourceLimits(context, { serviceType: 'image', projectId });
