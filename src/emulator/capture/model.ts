// Captures: what services read from a real cloud by its public APIs, and keep as their own rows.

/** The fields of a reply that services read. */
export type Json = Readonly<Record<string, unknown>>;

/** A cloud that is captured. It can only be read. */
export interface CaptureSource {
  /** Whether the catalog of the cloud has the service, by its name here, such as `compute`. */
  has(service: string): boolean;
  /** The newest microversion that the service has, up to a limit, such as `2.87`. */
  newest(service: string, limit: string): Promise<string>;
  /**
   * Reads a path below the endpoint of a service. If the cloud forbids it (403), the result is
   * empty, and the capture lists the path. @throws CaptureError for other statuses than 200
   */
  get(service: string, path: string, version?: string): Promise<Json>;
  /** Reads all pages of a list, which has its entries under `key`, as `get` does. */
  list(service: string, path: string, key: string, version?: string): Promise<readonly Json[]>;
  /** Reads something for each of many items, several at a time, and reports the progress. */
  each<T, R>(noun: string, items: readonly T[], read: (item: T) => Promise<R>): Promise<R[]>;
  /**
   * What is read; `otherwise` and a line of progress if the cloud does not know it.
   * @param statuses those of such replies: 404 by default
   */
  ifKnown<T, R>(
    noun: string,
    read: Promise<T>,
    otherwise: R,
    statuses?: readonly number[],
  ): Promise<T | R>;
}

/** The cloud has not answered as expected. */
export class CaptureError extends Error {
  /** The status of its reply; undefined if the error is not about one. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

/** How long a request may take, in milliseconds. */
export const timeout = 60_000;

/** The beginning of a body, for messages. */
export const textOf = (body: Buffer): string => body.toString().slice(0, 300);

/** How many resources of each kind were captured, by their noun in the plural. */
export type Captured = Readonly<Record<string, number>>;

declare module '../../kernel/model.ts' {
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- merged declarations must agree
  interface ServiceDefinition<V extends string = string> {
    /**
     * Reads the resources of the service from a cloud, and inserts them as rows, in a new cloud
     * without any. Nothing is checked, so that inconsistencies are kept.
     */
    readonly capture?: (context: Context, source: CaptureSource) => Promise<Captured>;
  }
}
