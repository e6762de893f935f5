// What handlers ask of a request: who asks, what policy says, and what stands in the body.
import { forbidden, type Fault } from '../../../kernel/fault.ts';
import { authorize, may } from '../../../kernel/http/steps.ts';
import type { Viewer } from '../domain/records.ts';
import type { VolumeCall } from '../call.ts';

export type Fields = Readonly<Record<string, unknown>>;

export const isAdmin = (call: VolumeCall): boolean => may(call, 'context_is_admin', {});

export const viewerOf = (call: VolumeCall): Viewer => ({
  projectId: call.caller?.projectId,
  userId: call.caller?.userId ?? '',
  isAdmin: isAdmin(call),
});

/** Who makes something must have a project to put it in. @throws 403 */
export function makerOf(call: VolumeCall): Viewer & { projectId: string } {
  const viewer = viewerOf(call);
  if (viewer.projectId === undefined) throw noProject();
  return { ...viewer, projectId: viewer.projectId };
}

const noProject = (): Fault => forbidden('A token of a project is required.');

/** Whether another service asks. */
export const isService = (call: VolumeCall): boolean => call.caller?.roles.includes('service') ?? false;

const targetOf = (call: VolumeCall, projectId?: string): Record<string, unknown> => ({
  project_id: projectId ?? call.caller?.projectId,
  user_id: call.caller?.userId,
});

/** Asks a rule about what belongs to a project, the caller's where none is given. @throws 403 */
export const allow = (call: VolumeCall, rule: string, projectId?: string): void =>
  authorize(call, rule, targetOf(call, projectId));

export const allows = (call: VolumeCall, rule: string, projectId?: string): boolean => may(call, rule, targetOf(call, projectId));

/** What stands in the body under the noun. */
export const bodyOf = (call: VolumeCall, noun: string): Fields => ((call.body as Fields)[noun] ?? {}) as Fields;

/** A name or a description without blanks around it; undefined where it is not given. */
export function trimmed(fields: Fields, ...names: readonly string[]): string | null | undefined {
  const name = names.find((one) => Object.hasOwn(fields, one));
  if (name === undefined) return undefined;
  const value = fields[name];
  return typeof value === 'string' ? value.trim() : null;
}

/** A truth value, also as one of the words for it that the contract allows. */
export const truth = (value: unknown): boolean =>
  typeof value === 'string' ? /^(true|1|on|yes|y|t)$/i.test(value) : Boolean(value);
