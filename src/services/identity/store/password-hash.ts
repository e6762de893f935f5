// The columns of hashed passwords and secrets.
import { jsonListOf, textWhere, type Column } from '../../../kernel/db/columns.ts';

/**
 * An Argon2 hash in the PHC format. The cost has a limit, because whoever signs in pays it: up to 1
 * GB and 99 rounds.
 */
const format =
  /^\$argon2(?:id|i|d)\$v=19\$m=[1-9]\d{1,5},t=[1-9]\d?,p=[1-9]\$[\w+/]{11,128}\$[\w+/]{22,128}$/;

export const hashedPassword: Column<string> = textWhere(
  (text) => format.test(text),
  'an Argon2 hash',
);

export const hashedPasswords = jsonListOf<readonly string[]>(
  (item) => typeof item === 'string' && format.test(item),
  'Argon2 hashes',
);
