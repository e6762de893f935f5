// Image's policy rules with their defaults, and their enforcement on an image. Upstream:
// glance/policies.
import type { RuleDefaults, Target } from '../../kernel/oslo/policy.ts';
import { forbidden, notFound } from '../../kernel/errors.ts';
import { may as mayDo } from '../../kernel/http/steps.ts';
import type { ImageCall } from './call.ts';
import type { Image, Namespace } from './model.ts';
import { notAuthorized } from './errors.ts';

const member = 'role:member and project_id:%(project_id)s';
const reader = 'role:reader and project_id:%(project_id)s';
const visible =
  "project_id:%(project_id)s or project_id:%(member_id)s or 'community':%(visibility)s or " +
  "'public':%(visibility)s or 'shared':%(visibility)s";
const namespaceReader = "role:reader and (project_id:%(project_id)s or 'public':%(visibility)s)";
const or = (rule: string): string => `rule:context_is_admin or (${rule})`;
const ownerOrMember = 'project_id:%(project_id)s or project_id:%(member_id)s';

/** Scopes rules to tokens of a project. */
const inProject = (rules: Readonly<Record<string, string>>): RuleDefaults =>
  Object.fromEntries(
    Object.entries(rules).map(([name, rule]) => [name, { rule, scopes: ['project'] }]),
  );

/** The same rule under several names. */
const rules = (rule: string, names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, rule]));

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
    get_image_location: or(reader),
    set_image_location: or(member),
    delete_image_location: 'rule:context_is_admin',
    add_image_location: `rule:service_api or (${member} and project_id:%(owner)s)`,
    fetch_image_location: 'rule:service_api',
    copy_image: 'rule:context_is_admin',
    stores_info_detail: or('rule:service_api'),
    tasks_api_access: 'rule:context_is_admin',
    ...rules('rule:context_is_admin', [
      'cache_image',
      'cache_list',
      'cache_delete',
      'cache_clean',
      'cache_prune',
      'list_cached_nodes',
    ]),
    ...rules(or(namespaceReader), [
      'get_metadef_namespace',
      'get_metadef_object',
      'get_metadef_objects',
      'list_metadef_resource_types',
      'get_metadef_resource_type',
      'get_metadef_property',
      'get_metadef_properties',
      'get_metadef_tag',
      'get_metadef_tags',
    ]),
    get_metadef_namespaces: or(reader),
    ...rules('rule:metadef_admin', [
      'modify_metadef_namespace',
      'add_metadef_namespace',
      'delete_metadef_namespace',
      'modify_metadef_object',
      'add_metadef_object',
      'delete_metadef_object',
      'add_metadef_resource_type_association',
      'remove_metadef_resource_type_association',
      'modify_metadef_property',
      'add_metadef_property',
      'remove_metadef_property',
      'modify_metadef_tag',
      'add_metadef_tag',
      'add_metadef_tags',
      'delete_metadef_tag',
      'delete_metadef_tags',
    ]),
  }),
  service_api: 'role:service or role:admin',
  metadef_default: '',
  metadef_admin: 'rule:context_is_admin',
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

/** Enforces a rule about no image in particular. @throws 403 */
export function authorizeRule(call: ImageCall, rule: string): void {
  if (!mayDo(call, rule, {})) throw forbidden(notAuthorized(rule));
}

/** Whether the rule allows the caller to act on the namespace. */
export const mayForNamespace = (
  call: ImageCall,
  rule: string,
  { owner, visibility }: Namespace,
): boolean => mayDo(call, rule, { project_id: owner, visibility });

/** @throws 403, or 404 if the caller may not even see the namespace */
export function authorizeNamespace(call: ImageCall, rule: string, namespace: Namespace): void {
  if (mayForNamespace(call, rule, namespace)) return;
  if (!mayForNamespace(call, 'get_metadef_namespace', namespace)) throw notFound('');
  throw forbidden(notAuthorized(rule));
}

/**
 * Enforces a rule about no namespace in particular.
 * @throws 403, or 404 if the caller may see no namespaces
 */
export function authorizeNamespaces(call: ImageCall, rule: string): void {
  const target = { project_id: call.actor.projectId };
  if (mayDo(call, rule, target)) return;
  if (!mayDo(call, 'get_metadef_namespace', target)) throw notFound('');
  throw forbidden(notAuthorized(rule));
}
