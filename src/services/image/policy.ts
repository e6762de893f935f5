// The rules of Image and what they are by default. Upstream: glance/policies.
import type { RuleDefaults } from '../../kernel/auth/policy.ts';

const member = 'role:member and project_id:%(project_id)s';
const reader = 'role:reader and project_id:%(project_id)s';
const seen =
  "project_id:%(project_id)s or project_id:%(member_id)s or 'community':%(visibility)s or 'public':%(visibility)s or 'shared':%(visibility)s";
const or = (rule: string): string => `rule:context_is_admin or (${rule})`;
const sharer = 'project_id:%(project_id)s or project_id:%(member_id)s';

export const imagePolicy: RuleDefaults = {
  default: '',
  context_is_admin: 'role:admin',
  add_image: or(`${member} and project_id:%(owner)s`),
  delete_image: or(member),
  get_image: or(`role:reader and (${seen})`),
  get_images: or(reader),
  modify_image: or(member),
  publicize_image: 'rule:context_is_admin',
  communitize_image: or(member),
  download_image: or(`role:member and (${seen})`),
  upload_image: or(member),
  add_member: or(member),
  delete_member: or(member),
  get_member: or(`role:reader and (${sharer})`),
  get_members: or(`role:reader and (${sharer})`),
  modify_member: or('role:member and project_id:%(member_id)s'),
  deactivate: or(member),
  reactivate: or(member),
};
