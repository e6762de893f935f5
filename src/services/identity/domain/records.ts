// What identity knows of: the things that its tables hold, as the rest of the service sees them.
import type { Micros } from '../../../kernel/clock.ts';

/** Attributes that the API does not know, kept for the client. */
export type Extra = Readonly<Record<string, unknown>>;

/** Settings of a thing, such as `immutable`. */
export type Options = Readonly<Record<string, unknown>>;

/** A project, or a domain: domains are projects that act as one. */
export interface Project {
  readonly id: string;
  readonly name: string;
  /** Null in a domain. */
  readonly domainId: string | null;
  /** At the top of a domain, the domain; null in a domain. */
  readonly parentId: string | null;
  readonly isDomain: boolean;
  readonly enabled: boolean;
  readonly description: string | null;
  readonly tags: readonly string[];
  readonly options: Options;
  readonly extra: Extra;
  /** Goes up when the tokens for it end. */
  readonly tokenEpoch: number;
}

export interface User {
  readonly id: string;
  readonly name: string;
  readonly domainId: string;
  readonly enabled: boolean;
  readonly defaultProjectId: string | null;
  /** Null where the user cannot sign in by password. */
  readonly passwordHash: string | null;
  readonly options: Options;
  readonly extra: Extra;
  /** Goes up when the tokens of the user end. */
  readonly tokenEpoch: number;
}

export interface Group {
  readonly id: string;
  readonly name: string;
  readonly domainId: string;
  readonly description: string | null;
  readonly extra: Extra;
}

export interface Role {
  readonly id: string;
  readonly name: string;
  /** Null in a role for all domains. */
  readonly domainId: string | null;
  readonly description: string | null;
  readonly options: Options;
  readonly extra: Extra;
}

/** Whoever has the prior role has the implied one as well. */
export interface Implication {
  readonly priorId: string;
  readonly impliedId: string;
}

export type ActorType = 'user' | 'group';
export type TargetType = 'project' | 'domain' | 'system';

/** Who has which role where; the target of one for the system is `system`. */
export interface Assignment {
  readonly actorType: ActorType;
  readonly actorId: string;
  readonly targetType: TargetType;
  readonly targetId: string;
  readonly roleId: string;
  /** Holds on the projects below the target, and not on the target. */
  readonly inherited: boolean;
}

export interface CatalogRegion {
  readonly id: string;
  readonly description: string;
  readonly parentId: string | null;
  readonly extra: Extra;
}

export interface CatalogService {
  readonly id: string;
  readonly type: string;
  readonly enabled: boolean;
  /** The name is one of them, as upstream. */
  readonly extra: Extra;
}

export interface Endpoint {
  readonly id: string;
  readonly serviceId: string;
  readonly interface: string;
  readonly regionId: string | null;
  /** With its substitutions. */
  readonly url: string;
  readonly enabled: boolean;
  readonly extra: Extra;
}

/** Endpoints by what they have in common. */
export interface EndpointGroup {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  /** Values of `service_id`, `region_id` and `interface`. */
  readonly filters: Readonly<Record<string, unknown>>;
}

/** A document that is kept for a service; nothing here reads it. */
export interface PolicyDocument {
  readonly id: string;
  readonly type: string;
  readonly blob: string;
  readonly extra: Extra;
}

/** What a policy is for: an endpoint, a service, or a service in a region. */
export interface PolicyPlace {
  readonly endpointId?: string;
  readonly serviceId?: string;
  readonly regionId?: string;
}

/** How much of a resource a project gets where nothing else is said. */
export interface RegisteredLimit {
  readonly id: string;
  readonly serviceId: string;
  readonly regionId: string | null;
  readonly resourceName: string;
  readonly defaultLimit: number;
  readonly description: string | null;
}

/** How much of a resource one project, or one domain, gets. */
export interface Limit {
  readonly id: string;
  readonly registered: RegisteredLimit;
  readonly projectId: string | null;
  readonly domainId: string | null;
  readonly resourceLimit: number;
  readonly description: string | null;
}

export interface AccessRule {
  readonly id: string;
  readonly userId: string;
  readonly service: string;
  readonly path: string;
  readonly method: string;
}

export interface ApplicationCredential {
  readonly id: string;
  readonly name: string;
  readonly userId: string;
  readonly projectId: string;
  readonly secretHash: string;
  readonly description: string | null;
  readonly system: string | null;
  readonly expiresAt: Micros | null;
  readonly unrestricted: boolean;
  readonly roleIds: readonly string[];
  readonly accessRules: readonly AccessRule[];
}

/** What one user lets another do on a project in the place of the first. */
export interface Trust {
  readonly id: string;
  /** Who lets. */
  readonly trustorUserId: string;
  /** Who may. */
  readonly trusteeUserId: string;
  readonly projectId: string | null;
  /** Whether tokens for it are the trustor's, or the trustee's with roles of the trustor. */
  readonly impersonation: boolean;
  readonly expiresAt: Micros | null;
  /** How many tokens can still be had for it; null for any number. */
  readonly remainingUses: number | null;
  /** The trust that this one passes on. */
  readonly redelegatedTrustId: string | null;
  /** How often it can be passed on further. */
  readonly redelegationCount: number;
  readonly roleIds: readonly string[];
  readonly extra: Extra;
}

/** A secret kept for a user, such as the keys for EC2. */
export interface Credential {
  readonly id: string;
  readonly userId: string;
  readonly projectId: string | null;
  readonly type: string;
  readonly blob: string;
  readonly extra: Extra;
}
