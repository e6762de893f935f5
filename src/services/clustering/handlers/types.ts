// The types of profiles and policies, and the operations of profiles.
import { ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ClusteringCall } from '../call.ts';
import { policyTypeFor, policyTypes } from '../domain/policies/index.ts';
import { profileTypeFor, profileTypes, unknownType } from '../domain/profiles/index.ts';
import { operationsView, typeLine, typeView } from '../views/types.ts';

/** GET /v1/profile-types */
export const listProfileTypes = ({ version }: ClusteringCall): Reply =>
  ok({ profile_types: Object.values(profileTypes).map((type) => typeLine(type, version)) });

/** GET /v1/profile-types/{type} */
export const showProfileType = ({ version, params }: ClusteringCall): Reply =>
  ok({ profile_type: typeView(profileTypeFor(params['type']!), version) });

/** GET /v1/profile-types/{type}/ops */
export const listOperations = ({ params }: ClusteringCall): Reply =>
  ok({ operations: operationsView(profileTypeFor(params['type']!, unknownType).operations) });

/** GET /v1/policy-types */
export const listPolicyTypes = ({ version }: ClusteringCall): Reply =>
  ok({ policy_types: Object.values(policyTypes).map((type) => typeLine(type, version)) });

/** GET /v1/policy-types/{type} */
export const showPolicyType = ({ version, params }: ClusteringCall): Reply =>
  ok({ policy_type: typeView(policyTypeFor(params['type']!), version) });
