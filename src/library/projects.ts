// Throw-away projects: for tests that share a cloud and run at the same time.
import type { Connection, Input, Reply } from './connection.ts';
import type { NewProject, Project } from './contract.ts';

/** The throw-away projects of a cloud. */
export class CloudProjects {
  readonly #connection: Connection;

  /** @internal */
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Creates a project in a domain of its own, with a user and a network. */
  async create(options: Input<'projects:create'>['body'] = {}): Promise<CloudProject> {
    const { project } = await this.#connection.call('projects:create', { body: options });
    return new CloudProject(this, project);
  }

  /** Returns all throw-away projects, the oldest first. */
  async list(): Promise<readonly Project[]> {
    return (await this.#connection.call('projects:list')).projects;
  }

  /**
   * Deletes a project and everything that belongs to it.
   * @returns how many resources were deleted, by kind
   */
  async delete(id: string): Promise<Reply<'projects:delete'>['removed']> {
    return (await this.#connection.call('projects:delete', { path: { id } })).removed;
  }
}

/** A throw-away project, and the credentials of its user. */
export class CloudProject {
  readonly id: string;
  /** The name of the project, of its domain and of its user. */
  readonly name: string;
  readonly domainId: string;
  readonly userId: string;
  readonly password: string;
  /** A token of the user for the project. */
  readonly token: string;
  /** The `OS_*` variables with which a client signs in as the user. */
  readonly env: Readonly<Record<string, string>>;
  /** A `clouds.yaml` with the cloud `cumulet`. */
  readonly cloudsYaml: string;
  /** The project's network in each region. */
  readonly networks: NewProject['networks'];
  readonly #projects: CloudProjects;
  #deleted: ReturnType<CloudProjects['delete']> | undefined;

  /** @internal */
  constructor(projects: CloudProjects, project: NewProject) {
    this.#projects = projects;
    this.id = project.id;
    this.name = project.name;
    this.domainId = project.domain_id;
    this.userId = project.user_id;
    this.password = project.password;
    this.token = project.token;
    this.env = project.env;
    this.cloudsYaml = project.clouds_yaml;
    this.networks = project.networks;
  }

  /**
   * Deletes the project and everything that belongs to it.
   * @returns how many resources were deleted, by kind
   */
  delete(): ReturnType<CloudProjects['delete']> {
    this.#deleted ??= this.#projects.delete(this.id);
    return this.#deleted;
  }

  /** Deletes the project at the end of a block with `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.delete();
  }
}
