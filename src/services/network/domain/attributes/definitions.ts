// What an attribute of a resource is: who may send it when, how it is read and checked, and what a
// list may ask for. Upstream: the attribute maps of neutron_lib/api/definitions, whose words stand
// beside ours.

/** One attribute. A POST must have it, where there is no `fallback`. */
export interface Attribute {
  /** A POST may have it (`allow_post`). */
  readonly post?: boolean;
  /** A PUT may have it (`allow_put`). */
  readonly put?: boolean;
  /** What a POST without it means (`default`); `unset` leaves that to the resource. */
  readonly fallback?: unknown;
  /** Turns what was sent into what is stored (`convert_to`). @throws 400 */
  readonly convert?: (value: unknown) => unknown;
  /** Says what is wrong with a value (`validate`); undefined where nothing is. */
  readonly check?: (value: unknown) => string | undefined;
  /** Not shown where false (`is_visible`). */
  readonly visible?: boolean;
  /** A list can be narrowed by it (`is_filter`). */
  readonly filter?: boolean;
  /** A list can be sorted by it (`is_sort_key`). */
  readonly sort?: boolean;
  /**
   * To send it is a matter of a rule of its own, such as `create_port:mac_address`
   * (`enforce_policy`).
   */
  readonly policy?: boolean;
}

export type Attributes = Readonly<Record<string, Attribute>>;

/** The attributes of a resource by name, as a body has them. */
export type Fields = Record<string, unknown>;

/** The attributes of a resource, under the names that bodies and rules use. */
export interface AttributeMap {
  /** The key of a body with one, and the noun of its rules: `port`. */
  readonly resource: string;
  /** The key of a body with several: `ports`. */
  readonly collection: string;
  readonly attributes: Attributes;
}

/**
 * For an attribute that was not sent, where that is not the same as null (`ATTR_NOT_SPECIFIED`).
 */
export const unset = Symbol('unset');

/** An attribute by which lists can be narrowed and sorted. */
export const listable: Attribute = { filter: true, sort: true };
