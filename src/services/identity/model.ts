// The records of Identity: users, projects, roles, tokens and so on, as every other file of the
// service sees them.
import type { Micros } from '../../kernel/clock.ts';

/** Attributes that the API does not define. They are kept and shown as the client gave them. */
export type Extra = Readonly<Record<string, unknown>>;

/** Resource options of a user, a project or a role, such as `immutable`. */
export type Options = Readonly<Record<string, unknown>>;

/** A project, or a domain: domains are projects that act as one. */
export interface Project {
  readonly id: string;
  readonly name: string;
  /** Null in a domain. */
  readonly domainId: string | null;
  /** The project above, or the domain at the top; null in a domain. */
  readonly parentId: string | null;
  readonly isDomain: boolean;
  readonly enabled: boolean;
  readonly description: string | null;
  readonly tags: readonly string[];
  readonly options: Options;
  readonly extra: Extra;
  /** Goes up to end all tokens for it. */
  readonly tokenEpoch: number;
}

/** One option in the configuration of a domain. */
export interface DomainOption {
  readonly group: string;
  readonly option: string;
  readonly value: unknown;
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
  /** Goes up to end all tokens of the user. */
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
  /** Null in a global role; the others are domain-specific. */
  readonly domainId: string | null;
  readonly description: string | null;
  readonly options: Options;
  readonly extra: Extra;
}

/** Whoever has the prior role also has the implied one. */
export interface Implication {
  readonly priorId: string;
  readonly impliedId: string;
}

export type ActorType = 'user' | 'group';
export type TargetType = 'project' | 'domain' | 'system';

/** A role of a user or a group on a target. The id of the target system is `system`. */
export interface Assignment {
  readonly actorType: ActorType;
  readonly actorId: string;
  readonly targetType: TargetType;
  readonly targetId: string;
  readonly roleId: string;
  /** It holds on the projects below the target, and not on the target itself. */
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
  /** The name is among them, as upstream. */
  readonly extra: Extra;
}

export interface Endpoint {
  readonly id: string;
  readonly serviceId: string;
  readonly interface: string;
  readonly regionId: string | null;
  /** With substitutions such as `$(project_id)s`. */
  readonly url: string;
  readonly enabled: boolean;
  readonly extra: Extra;
}

/** An endpoint that clients reach, with the service that it is of. */
export interface PublicEndpoint {
  readonly regionId: string;
  readonly type: string;
  /** The service's name, such as `nova`; empty where it has none. */
  readonly name: string;
  /** Whether this cloud itself answers there. */
  readonly isHere: boolean;
  /** Absolute, or a path of this cloud; with substitutions such as `$(project_id)s`. */
  readonly url: string;
}

/** A group of all endpoints that match its filters. */
export interface EndpointGroup {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  /** Values of `service_id`, `region_id` and `interface` that its endpoints have. */
  readonly filters: Readonly<Record<string, unknown>>;
}

/** A policy document, kept for other services. Identity does not read it. */
export interface PolicyDocument {
  readonly id: string;
  readonly type: string;
  readonly blob: string;
  readonly extra: Extra;
}

/** An endpoint group or an endpoint, which can be associated with projects. */
export type FilteredEndpoints = { readonly groupId: string } | { readonly endpointId: string };

/** What a policy is associated with: an endpoint, a service, or a service in a region. */
export interface PolicyTarget {
  readonly endpointId?: string;
  readonly serviceId?: string;
  readonly regionId?: string;
}

/** The default limit of a resource, for projects and domains without a limit of their own. */
export interface RegisteredLimit {
  readonly id: string;
  readonly serviceId: string;
  readonly regionId: string | null;
  readonly resourceName: string;
  readonly defaultLimit: number;
  readonly description: string | null;
}

/** The limit of a resource for one project or one domain. */
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

/** A trust: the trustor delegates roles on a project to the trustee. */
export interface Trust {
  readonly id: string;
  readonly trustorUserId: string;
  readonly trusteeUserId: string;
  readonly projectId: string | null;
  /**
   * Whether tokens for it show the trustor as their user. Otherwise they show the trustee, with
   * roles of the trustor.
   */
  readonly impersonation: boolean;
  readonly expiresAt: Micros | null;
  /** How many tokens can still be issued for it; null for any number. */
  readonly remainingUses: number | null;
  /** The trust that this one redelegates. */
  readonly redelegatedTrustId: string | null;
  /** How often it can be redelegated further. */
  readonly redelegationCount: number;
  readonly roleIds: readonly string[];
  readonly extra: Extra;
}

/** A stored credential of a user, such as keys for EC2. */
export interface Credential {
  readonly id: string;
  readonly userId: string;
  readonly projectId: string | null;
  readonly type: string;
  readonly blob: string;
  readonly extra: Extra;
}

/** What a token is for, perhaps by way of a trust; an unscoped token has none. */
export type Scope =
  | { readonly kind: 'project'; readonly id: string; readonly trustId?: string }
  | { readonly kind: 'domain'; readonly id: string }
  | { readonly kind: 'system' };

/** What a token says by itself. Everything else about it is looked up when it is validated. */
export interface Claims {
  readonly userId: string;
  readonly methods: readonly string[];
  readonly scope?: Scope;
  /**
   * Its own audit id, and that of the first token in the chain if it was issued for another token.
   */
  readonly auditIds: readonly string[];
  readonly applicationCredentialId?: string;
  readonly issuedAt: Micros;
  readonly expiresAt: Micros;
  /**
   * The `tokenEpoch` of user, scope and domains when it was issued: the token is invalid as soon as
   * one has gone up.
   */
  readonly epochs: string;
}

/** What is known of a token before it is issued. */
export type TokenDraft = Omit<Claims, 'epochs'>;

/** A token with the user, the scope and the roles that it was resolved to. */
export interface Token extends Claims {
  readonly id: string;
  readonly user: User;
  readonly userDomain: Project;
  /** The project that the token is scoped to. */
  readonly project?: Project;
  /** The domain of the project. */
  readonly projectDomain?: Project;
  /** The domain that the token is scoped to. */
  readonly domain?: Project;
  readonly roles: readonly Role[];
  readonly applicationCredential?: ApplicationCredential;
  /**
   * The trust that it was issued for. An impersonating trust makes the trustor the `user`; `userId`
   * is always the trustee.
   */
  readonly trust?: Trust;
}
