// The options of a cloud that a program starts. Written by `npm run docs` from the options of the
// command line: do not edit.

/** The options that a cloud has on the command line, too. */
export interface ServerOptions {
  /** File with options and a world. Default: the closest cumulet.yaml. */
  readonly config?: string | false;
  /** Port to listen on; 0 picks a free port. Default: 0. */
  readonly port?: number;
  /**
   * Address to listen on; an address that other machines reach needs adminPassword.
   * Default: 127.0.0.1.
   */
  readonly host?: string;
  /** Also serve one service of the first region at the root of its own port. */
  readonly listen?: readonly string[];
  /**
   * Also serve each service at upstream's port, such as 5000 for Identity, plus the
   * offset, and 100 more for each further region; the catalog has these ports.
   */
  readonly nativePorts?: number | true;
  /** Origins whose web pages may call the APIs, or * for all. */
  readonly corsOrigin?: readonly string[];
  /**
   * How long a request waits for the jobs that have become due, such as after a move of
   * the clock; then it gets 503. Default: 30s.
   */
  readonly catchUpWait?: string;
  /**
   * Serve HTTPS, with a certificate of an authority that is made at the first start and
   * kept in the folder with the state.
   */
  readonly tls?: boolean;
  /**
   * Further host names and IP addresses of that certificate (repeatable); it has those
   * of this machine and of host.
   */
  readonly tlsNames?: readonly string[];
  /** Serve HTTPS with this certificate, in PEM, with those of its issuers after it. */
  readonly tlsCert?: string;
  /** Private key of tlsCert, in PEM. */
  readonly tlsKey?: string;
  /** Authority of tlsCert, in PEM, for clients that do not know it (OS_CACERT). */
  readonly tlsCa?: string;
  /**
   * Where to keep the state: sqlite:<folder>, memory: or
   * mysql://user:password@host:port/name. Default: memory:.
   */
  readonly database?: string;
  /**
   * Regions to create unless they exist; paths without a region lead to the first that
   * is not central. Default: the regions of the database, or RegionOne for a new one.
   */
  readonly regions?: readonly string[];
  /** Name of the central region, which manages the others. Default: CentralRegion. */
  readonly centralRegion?: string;
  /** How long an operation takes by the clock of the emulator, such as server.create=5s. */
  readonly latency?: Readonly<Record<string, string>>;
  /**
   * How clients authenticate: with tokens of Keystone, or as any user they name.
   * Default: keystone.
   */
  readonly auth?: 'keystone' | 'noauth2';
  /** Password of the users admin and demo in a new cloud. Default: secret. */
  readonly adminPassword?: string;
  /** Folder with a policy file for each service, such as compute.yaml. */
  readonly policyDir?: string;
  /** Accept the tokens of the Keystone at this URL, such as http://host:6060/identity/v3. */
  readonly keystone?: string;
  /** Highest number of allocation candidates in a reply; -1 for no limit. Default: -1. */
  readonly maxAllocationCandidates?: number;
  /**
   * Order of allocation candidates: all of one provider tree before the next, or one of
   * each tree in rotation. Default: depth-first.
   */
  readonly allocationCandidatesGenerationStrategy?: 'depth-first' | 'breadth-first';
  /**
   * How many backends for volumes a region has, each with a volume type of its name.
   * Default: 1.
   */
  readonly volumeBackends?: number;
  /** Total size of the volumes that each backend can hold, in GiB. Default: no limit. */
  readonly volumeCapacity?: number | string;
  /**
   * Hosts of a new region: a number of them, or a YAML file that describes them.
   * Default: 3, or 0 with auth noauth2.
   */
  readonly hosts?: number | string;
  /**
   * How long deleted servers and their actions remain readable, such as 12h. Default:
   * 90d.
   */
  readonly keepDeleted?: string;
  /**
   * Whether instance reservations use aggregates and server groups as upstream does, or
   * Placement alone as its specification says; a setting changes it later. Default:
   * upstream.
   */
  readonly reservationMode?: 'upstream' | 'strict';
  /**
   * Older name of preset, for two examples; adds their regions and pods to an existing
   * cloud, too, and restores these pods, with the same ids, at every reset, even without
   * the option.
   */
  readonly profile?: 'six-pods' | 'three-regions';
  /** Start a new cloud from a named world of 'cumulet presets'. */
  readonly preset?:
    | 'autoscaling'
    | 'devstack'
    | 'edge-sites'
    | 'empty'
    | 'full'
    | 'gpu-farm'
    | 'large'
    | 'large-full'
    | 'reserved'
    | 'six-pods'
    | 'three-regions'
    | 'three-zones';
  /**
   * A world (.yaml), or a file of 'cumulet export', that a new cloud, and each reset of
   * the whole cloud, starts from. Default: built-in users, flavors, hosts and an image.
   */
  readonly seed?: string;
  /**
   * Refuse a file of seed whose rows refer to resources that it lacks (complete), or
   * accept it (any). Default: complete.
   */
  readonly seedReferences?: 'complete' | 'any';
  /** Name the explanation of a failed request in its header X-Cumulet-Explain. */
  readonly explainHeader?: boolean;
  /**
   * Record the newest requests, up to this number, for cumulet requests; 0 switches it
   * off. Default: 1000.
   */
  readonly journal?: number;
  /**
   * Publish the notifications of services on this message bus, such as
   * amqp://guest:guest@127.0.0.1:5672/.
   */
  readonly notifications?: string;
  /**
   * Keep the newest notifications of each region, up to this number, for cumulet
   * notifications; 0 switches it off. Default: as last set, or 0.
   */
  readonly keepNotifications?: number;
  /**
   * Token that requests to /_emulator must send in X-Control-Token; other machines may
   * then send them too.
   */
  readonly controlToken?: string;
}
