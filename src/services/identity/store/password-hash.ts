// The columns of hashed passwords and secrets.
import { jsonListOf, textWhere, type Column } from '../../../kernel/db/columns.ts';

/**
 * An Argon2 hash in the PHC format. The cost has a limit, because whoever signs in pays it: up to 1
 * GB and 99 rounds.
 */
const format =
  /^\$argon2(?:id|i|d)\$v=19\$m=[1-9]\d{1,5},t=[1-9]\d?,p=[1-9]\$[\w+/]{11,128}\$[\w+/]{22,128}$/;

/** The salted SHA-256 hash of a generated password. */
const generatedFormat = /^\$sha256\$[\w-]{22}\$[\w-]{43}$/;

const isHash = (text: string): boolean => format.test(text) || generatedFormat.test(text);

export const hashedPassword: Column<string> = textWhere(
  isHash,
  'an Argon2 hash, or a salted SHA-256 hash',
);

export const hashedPasswords = jsonListOf<readonly string[]>(
  (item) => typeof item === 'string' && isHash(item),
  'Argon2 hashes, or salted SHA-256 hashes',
);
