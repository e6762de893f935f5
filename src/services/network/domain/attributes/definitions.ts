// Defines attributes of resources: when clients can send them, how they are converted and checked,
// and whether lists can filter and sort by them. Upstream: the attribute maps of
// neutron_lib/api/definitions, whose terms are given in parentheses.

import type { NetworkSettings } from '../settings.ts';

/** One attribute. It is required in a POST if it has no `fallback`. */
export interface Attribute {
  /** Allowed in a POST (`allow_post`). */
  readonly post?: boolean;
  /** Allowed in a PUT (`allow_put`). */
  readonly put?: boolean;
  /** The value if a POST omits it (`default`); with `unset`, each resource decides. */
  readonly fallback?: unknown;
  /** Converts the value that was sent to the stored value (`convert_to`). @throws 400 */
  readonly convert?: (value: unknown) => unknown;
  /** Returns what is wrong with a value, or undefined if it is valid (`validate`). */
  readonly check?: (value: unknown, settings: NetworkSettings) => string | undefined;
  /** Hidden from clients if false (`is_visible`). */
  readonly visible?: boolean;
  /** Absent from resources that have no value, instead of null. */
  readonly sparse?: boolean;
  /** Lists can be filtered by it (`is_filter`). */
  readonly filter?: boolean;
  /** Lists can be sorted by it (`is_sort_key`). */
  readonly sort?: boolean;
  /**
   * Sending it requires a separate policy rule, such as `create_port:mac_address`
   * (`enforce_policy`).
   */
  readonly policy?: boolean;
}

export type Attributes = Readonly<Record<string, Attribute>>;

/** The attributes of a resource by name, as in a request body. */
export type Fields = Record<string, unknown>;

/** The attributes of a resource, by the names that bodies and policy rules use. */
export interface AttributeMap {
  /** The key of a body that holds one resource: `port`. */
  readonly resource: string;
  /** The noun in its policy rules, if that differs. */
  readonly noun?: string;
  /** The key of a body that holds a list: `ports`. */
  readonly collection: string;
  /** False if a POST cannot create a list. */
  readonly bulk?: false;
  readonly attributes: Attributes;
}

/**
 * The value of an attribute that was not sent, if that differs from null (`ATTR_NOT_SPECIFIED`).
 */
export const unset = Symbol('unset');

/** An attribute that lists can be filtered and sorted by. */
export const listable: Attribute = { filter: true, sort: true };
