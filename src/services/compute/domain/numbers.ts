// Numbers that clients may also write as text: the contract lets the text pass, and here it is held
// to the same bounds.
import { badRequest } from '../../../kernel/errors.ts';

/** The greatest integer that upstream's database holds. */
export const maxInt = 2_147_483_647;

const refuse = (field: string, value: number | string, message: string) =>
  badRequest(`Invalid input for field/attribute ${field}. Value: ${value}. ${message}`);

/** The number. @throws 400 where it is less than `least`, or too great for the database */
export function atLeast(
  least: number,
  field: string,
  value: number | string,
  greatest = maxInt,
): number {
  const number = Number(value);
  if (number < least) throw refuse(field, value, `${number} is less than the minimum of ${least}`);
  if (number > greatest)
    throw refuse(field, value, `${String(value)} is greater than the maximum of ${greatest}`);
  return number;
}
