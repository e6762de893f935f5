// What Network says about an extension.

/** One extension, with the date of upstream's. */
export type Extension = readonly [
  alias: string,
  name: string,
  description: string,
  updated: string,
];
