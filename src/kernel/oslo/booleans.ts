// Words for true and false, as oslo_utils.strutils.bool_from_string reads them.

const yes: ReadonlySet<string> = new Set(['1', 't', 'true', 'on', 'y', 'yes']);
const no: ReadonlySet<string> = new Set(['0', 'f', 'false', 'off', 'n', 'no']);

/** The meaning of a word in strict mode; undefined for any other word. */
export function boolFromString(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (yes.has(word)) return true;
  return no.has(word) ? false : undefined;
}

/** Whether a value means true. All other words mean false, and so do null and undefined. */
export const isTrue = (value: unknown): boolean =>
  value !== undefined && value !== null && boolFromString(String(value)) === true;
