// What benchmarks say of several measurements.

/** The number below which a part of all numbers is, such as a quarter of them. */
export const at = (part: number, numbers: readonly number[]): number =>
  numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length * part)]!;

export const median = (numbers: readonly number[]): number => at(1 / 2, numbers);
