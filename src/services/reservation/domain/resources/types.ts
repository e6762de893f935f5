// What every type of resource does for a reservation of it.
import type { Context } from '../../../../kernel/model.ts';
import type { Details, Lease, Reservation, Span } from '../../model.ts';
import type { Values } from '../values.ts';

/** A reservation of a lease, and the lease. */
export interface Reserved<D extends Details = Details> {
  readonly lease: Lease;
  readonly reservation: Reservation<D>;
}

/** A change of a reservation: of the lease's dates, or of what is asked for, or of both. */
export interface Change<D extends Details = Details> extends Reserved<D> {
  /** The dates that the lease will have. */
  readonly span: Span;
  readonly values: Values;
}

/**
 * A type of resource. Each function works in the transaction of the work, so that nothing is left
 * of one that fails.
 */
export interface ResourceType<D extends Details = Details> {
  /** Reads what is asked for. @throws 400, 404, 409 */
  read(context: Context, values: Values): Promise<D>;
  /** Promises resources to a reservation. @throws Fault where there are not enough */
  allocate(context: Context, reserved: Reserved<D>): Promise<void>;
  /**
   * Makes what the other services have to know before the start.
   * @returns the reservation with what it learned
   */
  prepare(context: Context, reserved: Reserved<D>): Promise<Reservation<D>>;
  /**
   * Hands the resources over.
   * @returns whether that is done; else it is asked again a little later
   */
  start(context: Context, reserved: Reserved<D>): Promise<boolean>;
  /** What is done shortly before the end. */
  beforeEnd(context: Context, reserved: Reserved<D>): Promise<void>;
  /**
   * Takes the resources back, also those that were never handed over.
   * @returns whether that is done
   */
  end(context: Context, reserved: Reserved<D>): Promise<boolean>;
  /** Changes what is promised. @throws Fault where that cannot be */
  update(context: Context, change: Change<D>): Promise<Reservation<D>>;
}

/** Whether a change makes the time longer, or puts it elsewhere. */
export const reaches = (before: Span, after: Span): boolean =>
  after.startAt < before.startAt || after.endAt > before.endAt;
