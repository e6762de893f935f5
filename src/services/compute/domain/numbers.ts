// Validates numbers that clients may also write as text. The contract does not check the bounds of
// such text.
import { badRequest, type ApiError } from '../../../kernel/errors.ts';

/** The greatest integer that upstream's database can store. */
export const maxInt = 2_147_483_647;

const invalid = (field: string, value: number | string, message: string): ApiError =>
  badRequest(`Invalid input for field/attribute ${field}. Value: ${value}. ${message}`);

/** Reads a number. @throws 400 if it is less than `least` or greater than `greatest` */
export function atLeast(
  least: number,
  field: string,
  value: number | string,
  greatest = maxInt,
): number {
  const number = Number(value);
  if (number < least) throw invalid(field, value, `${number} is less than the minimum of ${least}`);
  if (number > greatest)
    throw invalid(field, value, `${String(value)} is greater than the maximum of ${greatest}`);
  return number;
}
