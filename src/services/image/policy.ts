// Image's policy rules with their defaults, and their enforcement on an image. Upstream:
// glance/policies.
import type { RuleDefaults, Target } from '../../kernel/oslo/policy.ts';
import { forbidden, notFound } from '../../kernel/errors.ts';
import { may as mayDo } from '../../kernel/http/steps.ts';
import type { ImageCall } from './call.ts';
import type { Image } from './model.ts';
import { notAuthorized } from './errors.ts';

const member = 'role:member and project_id:%(project_id)s';
const reader = 'role:reader and project_id:%(project_id)s';
const visible =
  "project_id:%(project_id)s or project_id:%(member_id)s or 'community':%(visibility)s or " +
  "'public':%(visibility)s or 'shared':%(visibility)s";
const or = (rule: string): string => `rule:context_is_admin or (${rule})`;
const ownerOrMember = 'project_id:%(project_id)s or project_id:%(member_id)s';

/** Scopes rules to tokens of a project. */
const inProject = (rules: Readonly<Record<string, string>>): RuleDefaults =>
  Object.fromEntries(
    Object.entries(rules).map(([name, rule]) => [name, { rule, scopes: ['project'] }]),
  );

export const imagePolicy: RuleDefaults = {
  default: '',
  context_is_admin: 'role:admin',
  ...inProject({
    add_image: or(`${member} and project_id:%(owner)s`),
    delete_image: or(member),
    get_image: or(`role:reader and (${visible})`),
    get_images: or(reader),
    modify_image: or(member),
    publicize_image: 'rule:context_is_admin',
    communitize_image: or(member),
    download_image: or(`role:member and (${visible})`),
    upload_image: or(member),
    add_member: or(member),
    delete_member: or(member),
    get_member: or(`role:reader and (${ownerOrMember})`),
    get_members: or(`role:reader and (${ownerOrMember})`),
    modify_member: or('role:member and project_id:%(member_id)s'),
    deactivate: or(member),
    reactivate: or(member),
  }),
};

/** The fields of an image that policy rules see. The image need not be stored yet. */
type ImageTarget = Pick<Image, 'owner' | 'visibility'>;

/**
 * The target of a rule. A project that sees another project's shared image is one of its members.
 */
function targetOf({ actor: { projectId } }: ImageCall, { owner, visibility }: ImageTarget): Target {
  const isMember = visibility === 'shared' && projectId !== undefined && owner !== projectId;
  return { project_id: owner, owner, visibility, ...(isMember ? { member_id: projectId } : {}) };
}

/** Whether the rule allows the caller to act on the image. */
export const may = (call: ImageCall, rule: string, image: ImageTarget): boolean =>
  mayDo(call, rule, targetOf(call, image));

/** @throws 403, or 404 if the caller does not even see the image */
export function authorize(call: ImageCall, rule: string, image: ImageTarget): void {
  if (may(call, rule, image)) return;
  if (rule === 'get_image' || !may(call, 'get_image', image)) throw notFound('');
  throw forbidden(notAuthorized(rule));
}

/** Enforces the extra rules of the visibilities `public` and `community`. @throws 403 */
export function authorizeVisibility(
  call: ImageCall,
  image: ImageTarget,
  visibility: unknown,
): void {
  const rule =
    visibility === 'public'
      ? 'publicize_image'
      : visibility === 'community'
        ? 'communitize_image'
        : undefined;
  if (rule && !may(call, rule, image)) throw forbidden(notAuthorized(rule));
}
