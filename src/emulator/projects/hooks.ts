// What services contribute to throw-away projects: see /_emulator/projects.
import type { Context } from '../../kernel/model.ts';

/** The domain, project and user that a throw-away project consists of. */
export interface ThrowawayAccount {
  readonly projectId: string;
  /** The name of the domain, of the project and of the user. */
  readonly name: string;
  readonly domainId: string;
  readonly userId: string;
}

/** An account to create. */
export interface AccountRequest {
  readonly name: string;
  /** Names of global roles. */
  readonly roles: readonly string[];
  /** By default, one is generated. */
  readonly password?: string | undefined;
}

/** How the user of a new account signs in. */
export interface AccountCredentials {
  readonly password: string;
  readonly token: string;
}

/** The projects and the users whose resources are deleted. */
export interface ResourceOwners {
  readonly projectIds: readonly string[];
  readonly userIds: readonly string[];
}

/** How many resources were deleted, by kind in the plural. */
export type RemovedCounts = Readonly<Record<string, number>>;

/** The network that a new project has in a region. */
export interface ProjectNetwork {
  readonly network_id: string;
  readonly subnet_id: string;
  readonly router_id: string;
  /** The router's address in the external network; null if that has none left. */
  readonly external_ip: string | null;
}

/** What a service contributes. Each hook runs in a transaction of the service's database. */
export interface ThrowawayHooks {
  /**
   * Creates an account, and then runs `record`, in one transaction that the hook opens itself.
   * @throws 400, 409
   */
  readonly openAccount?: (
    context: Context,
    request: AccountRequest,
    record: (context: Context, account: ThrowawayAccount) => Promise<void>,
  ) => Promise<ThrowawayAccount & AccountCredentials>;
  /** Ends the account's tokens. @returns all projects and users of the account's domain */
  readonly closeAccount?: (context: Context, account: ThrowawayAccount) => Promise<ResourceOwners>;
  /** Whether the domain of an account exists, and its tokens have not been ended. */
  readonly isAccountOpen?: (context: Context, domainId: string) => Promise<boolean>;
  /** Sets quotas of a new project. @throws 400 for an unknown resource */
  readonly setQuotas?: (
    context: Context,
    projectId: string,
    limits: Readonly<Record<string, number>>,
  ) => Promise<void>;
  /** Creates the network of a new project. */
  readonly createNetwork?: (context: Context, projectId: string) => Promise<ProjectNetwork>;
  /**
   * Deletes everything that belongs to the owners. The hooks of a region run in one transaction,
   * those of the services that others call first.
   */
  readonly remove?: (
    context: Context,
    owners: ResourceOwners,
    account: ThrowawayAccount,
  ) => Promise<RemovedCounts>;
}

declare module '../../kernel/model.ts' {
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- merged declarations must agree
  interface ServiceDefinition<V extends string = string> {
    readonly throwaway?: ThrowawayHooks;
  }
}
