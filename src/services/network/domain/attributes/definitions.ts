// The attributes of a kind of thing: who may send them when, how they are read and checked, and what a list may ask for.

/** One attribute. A POST must have it, where there is no `fallback`. */
export interface Attribute {
  readonly post?: boolean;
  readonly put?: boolean;
  /** What a POST without it means; `unset` leaves it to the kind. */
  readonly fallback?: unknown;
  /** Turns what was sent into what is kept. @throws what is wrong with it */
  readonly convert?: (value: unknown) => unknown;
  /** Says what is wrong with it. */
  readonly check?: (value: unknown) => string | undefined;
  /** Not shown where false. */
  readonly visible?: boolean;
  readonly filter?: boolean;
  readonly sort?: boolean;
  /** Whether sending it is a matter of a rule of its own, `create_port:mac_address`. */
  readonly policy?: boolean;
}

export type Attributes = Readonly<Record<string, Attribute>>;

/** The body of a thing, by attribute. */
export type Fields = Record<string, unknown>;

/** A kind of thing. */
export interface Kind {
  readonly noun: string;
  readonly plural: string;
  readonly attributes: Attributes;
}

/** For an attribute that was not sent, where none is not the same as null. */
export const unset = Symbol('unset');

/** A fact that is shown, and by which lists are narrowed and sorted. */
export const shown: Attribute = { filter: true, sort: true };
