// The records of Identity, such as users, projects, roles and tokens.
import type { Micros } from '../../kernel/clock.ts';

/** Attributes that the API does not define. Identity stores and returns them unchanged. */
export type Extra = Readonly<Record<string, unknown>>;

/** Resource options of a user, a project or a role, such as `immutable`. */
export type Options = Readonly<Record<string, unknown>>;

/** A project or a domain: a domain is a project that acts as one. */
export interface Project {
  readonly id: string;
  readonly name: string;
  /** Null for a domain. */
  readonly domainId: string | null;
  /** The parent project, or the domain of a top-level project; null for a domain. */
  readonly parentId: string | null;
  readonly isDomain: boolean;
  readonly enabled: boolean;
  readonly description: string | null;
  readonly tags: readonly string[];
  readonly options: Options;
  readonly extra: Extra;
  /** Incremented to invalidate all tokens that are scoped to the project or domain. */
  readonly tokenEpoch: number;
}

/** A domain by id or name. */
export interface DomainReference {
  readonly id?: string;
  readonly name?: string;
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
  /** Null if the user cannot sign in with a password. */
  readonly passwordHash: string | null;
  /** Hashes of earlier passwords, oldest first; null for none. */
  readonly previousHashes: readonly string[] | null;
  readonly passwordExpiresAt: Micros | null;
  /** When the user chose the password; null if an administrator did. */
  readonly passwordChosenAt: Micros | null;
  /** Null for a user of the cloud itself. */
  readonly createdAt: Micros | null;
  /** The beginning of the day on which the user signed in last; null for never. */
  readonly lastActiveAt: Micros | null;
  /** False if the user comes from an identity provider: others may have the same name. */
  readonly isLocal: boolean;
  readonly options: Options;
  readonly extra: Extra;
  /** Incremented to invalidate all tokens of the user. */
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
  /** Null for a global role; other roles are domain-specific. */
  readonly domainId: string | null;
  readonly description: string | null;
  readonly options: Options;
  readonly extra: Extra;
}

/** An implied role: a user with the prior role also has the implied role. */
export interface Implication {
  readonly priorId: string;
  readonly impliedId: string;
}

export const actorTypes = ['user', 'group'] as const;
export type ActorType = (typeof actorTypes)[number];
export const targetTypes = ['project', 'domain', 'system'] as const;
export type TargetType = (typeof targetTypes)[number];

/** A role of a user or a group on a target. The id of the target system is `system`. */
export interface Assignment {
  readonly actorType: ActorType;
  readonly actorId: string;
  readonly targetType: TargetType;
  readonly targetId: string;
  readonly roleId: string;
  /** Whether it applies to the projects below the target instead of the target itself. */
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
  /** Includes the name, as upstream. */
  readonly extra: Extra;
}

export interface Endpoint {
  readonly id: string;
  readonly serviceId: string;
  readonly interface: string;
  readonly regionId: string | null;
  /** May contain substitutions such as `$(project_id)s`. */
  readonly url: string;
  readonly enabled: boolean;
  readonly extra: Extra;
}

/** A public endpoint, with the service that it belongs to. */
export interface PublicEndpoint {
  readonly regionId: string;
  readonly type: string;
  /** The service's name, such as `nova`; empty if it has none. */
  readonly name: string;
  /** Whether this cloud itself serves the endpoint. */
  readonly isHere: boolean;
  /** Absolute, or a path on this cloud; may contain substitutions such as `$(project_id)s`. */
  readonly url: string;
}

/** A group of all endpoints that match its filters. */
export interface EndpointGroup {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  /** The values of `service_id`, `region_id` and `interface` that its endpoints have. */
  readonly filters: Readonly<Record<string, unknown>>;
}

/** A policy document, stored for other services. Identity does not read it. */
export interface PolicyDocument {
  readonly id: string;
  readonly type: string;
  readonly blob: string;
  readonly extra: Extra;
}

/** An endpoint group or an endpoint: either can be associated with projects. */
export type FilteredEndpoints = { readonly groupId: string } | { readonly endpointId: string };

/** The target of a policy: an endpoint, a service, or a service in a region. */
export interface PolicyTarget {
  readonly endpointId?: string;
  readonly serviceId?: string;
  readonly regionId?: string;
}

/** The default limit of a resource, for projects and domains that have no limit of their own. */
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
   * Whether the user of its tokens is the trustor. Otherwise it is the trustee, with roles of the
   * trustor.
   */
  readonly impersonation: boolean;
  readonly expiresAt: Micros | null;
  /** The number of tokens that can still be issued for it; null if unlimited. */
  readonly remainingUses: number | null;
  /** The trust that this one redelegates. */
  readonly redelegatedTrustId: string | null;
  /** The number of times that it can be redelegated further. */
  readonly redelegationCount: number;
  readonly roleIds: readonly string[];
  readonly extra: Extra;
}

/** A program that users let act for them with OAuth 1.0a. */
export interface Consumer {
  readonly id: string;
  readonly description: string | null;
  readonly secret: string;
  readonly extra: Extra;
}

/** Roles of a user on a project that a consumer has, by access tokens. */
export interface AccessToken {
  readonly id: string;
  readonly secret: string;
  readonly consumerId: string;
  readonly projectId: string;
  readonly userId: string;
  readonly roleIds: readonly string[];
  /** Null for never. */
  readonly expiresAt: Micros | null;
}

/** What a consumer exchanges for an access token, once a user has authorized it. */
export interface RequestToken extends Omit<AccessToken, 'userId'> {
  /** The user who authorized the token; null until a user does. */
  readonly userId: string | null;
  /** The code that the user gives to the consumer; null until a user authorizes the token. */
  readonly verifier: string | null;
}

/** Where federated users come from. */
export interface IdentityProvider {
  readonly id: string;
  /** The domain of its users, unless a mapping names another. */
  readonly domainId: string;
  readonly enabled: boolean;
  readonly description: string | null;
  /** For how many minutes groups of an assertion last; null or 0 for the setting. */
  readonly authorizationTtl: number | null;
  /** How assertions name the provider, ordered; none if they need not name it. */
  readonly remoteIds: readonly string[];
}

/** A way in which users of an identity provider sign in, with the mapping of its assertions. */
export interface FederationProtocol {
  readonly id: string;
  readonly providerId: string;
  /** The mapping may not exist. */
  readonly mappingId: string;
  /** The attribute of assertions that names the provider; null or empty for the setting. */
  readonly remoteIdAttribute: string | null;
}

/** Rules that make a user, groups and projects of an assertion. */
export interface Mapping {
  readonly id: string;
  readonly rules: readonly MappingRule[];
  readonly schemaVersion: MappingVersion;
}

export const mappingVersions = ['1.0', '2.0', '3.0'] as const;
export type MappingVersion = (typeof mappingVersions)[number];

/** A rule applies if all of its remote part does. The contract describes both parts. */
export interface MappingRule {
  readonly local: readonly object[];
  readonly remote: readonly object[];
}

/** Another Keystone, to which users of this one may sign in. */
export interface ServiceProvider {
  readonly id: string;
  readonly authUrl: string;
  readonly spUrl: string;
  readonly enabled: boolean;
  readonly description: string | null;
  readonly relayStatePrefix: string;
}

/** How assertions name a user. */
export interface FederatedUser {
  readonly providerId: string;
  readonly protocolId: string;
  /** Unique among the users who come by the protocol. */
  readonly uniqueId: string;
  readonly userId: string;
}

/** A membership in a group of an assertion. It lasts for the time that the provider sets. */
export interface ExpiringMembership {
  readonly userId: string;
  readonly groupId: string;
  readonly providerId: string;
  readonly lastVerified: Micros;
}

/** How the user of a token has signed in by federation. */
export interface Federation {
  readonly providerId: string;
  readonly protocolId: string;
  /** The groups of the assertion. */
  readonly groupIds: readonly string[];
}

/** A user of an OpenID provider for tests. */
export interface OidcUser {
  readonly issuer: string;
  readonly name: string;
  readonly passwordHash: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** An identity provider whose SAML assertions are accepted, from its metadata. */
export interface SamlProvider {
  readonly name: string;
  /** The issuer in its assertions. */
  readonly entityId: string;
  /** The certificates of the keys that it signs with, in PEM. */
  readonly certificates: readonly string[];
}

/** A session that a SAML assertion has opened. */
export interface SamlSession {
  readonly id: string;
  /** A hash of the issuer and the id of the assertion, which opens no other session. */
  readonly assertion: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** When the session ends, and the assertion could no longer be presented anyway. */
  readonly expiresAt: Micros;
}

/** What has ended tokens that were issued before: one of the fields is not null. */
export interface RevocationEvent {
  readonly userId: string | null;
  readonly projectId: string | null;
  readonly trustId: string | null;
  /** Tokens for access tokens of this OAuth consumer. */
  readonly consumerId: string | null;
  /** The token with this audit id. */
  readonly auditId: string | null;
  readonly revokedAt: Micros;
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

/** The scope of a token, which a trust may have delegated; an unscoped token has no scope. */
export type Scope =
  | { readonly kind: 'project'; readonly id: string; readonly trustId?: string }
  | { readonly kind: 'domain'; readonly id: string }
  | { readonly kind: 'system' };

/** The claims that a token itself carries. Everything else about it is looked up at validation. */
export interface Claims {
  readonly userId: string;
  readonly methods: readonly string[];
  readonly scope?: Scope;
  /**
   * The token's own audit id, and the audit id of the first token in the chain if another token was
   * exchanged for it.
   */
  readonly auditIds: readonly string[];
  readonly applicationCredentialId?: string;
  /** The OAuth access token that it was issued for. */
  readonly accessTokenId?: string;
  readonly federation?: Federation;
  readonly issuedAt: Micros;
  readonly expiresAt: Micros;
  /**
   * The `tokenEpoch` of the user, the scope and their domains at issue. The token is invalid as
   * soon as one of them is incremented.
   */
  readonly epochs: string;
}

/** The claims of a token that is not issued yet. */
export type TokenDraft = Omit<Claims, 'epochs'>;

/** A token with the user, the scope and the roles that it resolves to. */
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
  readonly accessToken?: AccessToken;
  /** When the roles may change, because a membership in a group ends. */
  readonly rolesUntil?: Micros;
  /**
   * The trust that the token was issued for. If it impersonates, `user` is the trustor; `userId` is
   * always the trustee.
   */
  readonly trust?: Trust;
}
