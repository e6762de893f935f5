// Throw-away projects, as they are stored and created.
import type { Micros } from '../../kernel/clock.ts';
import type { ProjectNetwork } from './hooks.ts';

/** A stored project. */
export interface ThrowawayProject {
  /** Projects are listed in the order of their numbers. */
  readonly number: number;
  readonly id: string;
  readonly name: string;
  readonly domainId: string;
  readonly userId: string;
  readonly createdAt: Micros;
}

/** The body of a request that creates a project. */
export interface ProjectRequest {
  readonly name?: string;
  readonly roles?: readonly string[];
  readonly password?: string;
  readonly quotas?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly network?: boolean;
}

/** A new project with the credentials of its user. */
export interface NewProject extends Omit<ThrowawayProject, 'number'> {
  readonly roles: readonly string[];
  readonly password: string;
  readonly token: string;
  readonly networks: readonly (ProjectNetwork & { readonly region: string })[];
}
