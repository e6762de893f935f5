// The formats that api-ref uses, as OpenStack reads them.
import addFormats from 'ajv-formats';
import { isUuidLike } from '../ids.ts';

type Validate = (text: string) => boolean;

const standard = ['date-time', 'uri', 'ipv4', 'ipv6', 'email', 'hostname', 'regex'] as const;

const own: Record<string, Validate> = {
  'uuid-like': isUuidLike,
  uuid: (text) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text),
};

type FormatModule = { default: { get(name: string): unknown } };
const known = addFormats as unknown as FormatModule;

/** For Ajv. */
export const ajvFormats = {
  ...Object.fromEntries(standard.map((name) => [name, known.default.get(name)])),
  ...own,
} as Record<string, Validate>;

/** For express-openapi-validator, whose own `uuid` is too strict. */
export const guardFormats: Record<string, { type: 'string'; validate: Validate }> = Object.fromEntries(
  Object.entries(own).map(([name, validate]) => [name, { type: 'string', validate }]),
);
