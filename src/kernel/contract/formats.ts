// The string formats of api-ref, with OpenStack's semantics.
import { isUuidLike } from '../ids.ts';
import { loadFormats } from '../lazy.ts';
import { parseIsoTime } from '../oslo/isotime.ts';

type Validate = (text: string) => boolean;

const standard = ['uri', 'ipv4', 'ipv6', 'email', 'hostname', 'regex'] as const;

const own: Readonly<Record<string, Validate>> = {
  // Upstream: date-time in nova/api/validation/validators.py and cinder/api/validation/validators.py.
  'date-time': (text) => parseIsoTime(text) !== undefined,
  'uuid-like': isUuidLike,
  base64: isBase64,
  uuid: (text) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text),
};

/**
 * Accepts what Python's decoder accepts: it skips characters outside of the alphabet, so only the
 * padding can be wrong. Upstream: binascii.a2b_base64.
 */
function isBase64(text: string): boolean {
  let characters = 0;
  let pads = 0;
  for (const one of text) {
    if (one === '=') {
      pads++;
      if (characters % 4 >= 2 && (characters % 4) + pads >= 4) return true;
    } else if (/[A-Za-z0-9+/]/.test(one)) {
      characters++;
      pads = 0;
    }
  }
  return characters % 4 === 0;
}

/** The formats for Ajv. */
export function ajvFormats(): Record<string, Validate> {
  const { fullFormats } = loadFormats();
  return {
    ...Object.fromEntries(standard.map((name) => [name, fullFormats[name] as Validate])),
    ...own,
  };
}

/** The formats for express-openapi-validator, whose own `uuid` is too strict. */
export const guardFormats: Readonly<Record<string, { type: 'string'; validate: Validate }>> =
  Object.fromEntries(
    Object.entries(own).map(([name, validate]) => [name, { type: 'string', validate }]),
  );
