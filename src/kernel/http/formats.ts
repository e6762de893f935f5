// The formats of strings in api-ref, with OpenStack's meaning.
import { isUuidLike } from '../ids.ts';
import { loadFormats } from '../later.ts';

type Validate = (text: string) => boolean;

const standard = ['date-time', 'uri', 'ipv4', 'ipv6', 'email', 'hostname', 'regex'] as const;

const own: Readonly<Record<string, Validate>> = {
  'uuid-like': isUuidLike,
  uuid: (text) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text),
};

/** For Ajv. */
export function ajvFormats(): Record<string, Validate> {
  const { fullFormats } = loadFormats();
  return { ...Object.fromEntries(standard.map((name) => [name, fullFormats[name] as Validate])), ...own };
}

/** For express-openapi-validator, whose own `uuid` is too strict. */
export const guardFormats: Readonly<Record<string, { type: 'string'; validate: Validate }>> = Object.fromEntries(
  Object.entries(own).map(([name, validate]) => [name, { type: 'string', validate }]),
);
