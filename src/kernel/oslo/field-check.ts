// Neutron's policy check of an attribute of the target: `field:networks:shared=True`, or with a
// pattern, `field:port:device_owner=~^network:`.

/** A parsed check of an attribute. Only Neutron registers this kind: neutron/policy.py. */
export interface FieldCheck {
  readonly kind: 'field';
  readonly field: string;
  readonly wanted: string | RegExp;
}

/**
 * Parses what follows `field:`.
 * @throws Error if the text is not `resource:attribute=value`
 */
export function parseField(right: string, token: string): FieldCheck {
  const [, , field, value] = /^([^:]*):([^=]+)=(.*)$/s.exec(right) ?? [];
  if (field === undefined || value === undefined)
    throw new Error(`"${token}": "field:resource:attribute=value" is expected`);
  if (!value.startsWith('~')) return { kind: 'field', field, wanted: value };
  try {
    // Anchored at the start, as by Python's `re.match`.
    return { kind: 'field', field, wanted: new RegExp(`^(?:${value.slice(1)})`) };
  } catch {
    throw new Error(`"${token}": "${value.slice(1)}" is not a regular expression`);
  }
}

/**
 * Whether the attribute of the target has the value or matches the pattern. The comparison with
 * `True` and `False` ignores case.
 */
export function fieldHolds(
  { field, wanted }: FieldCheck,
  target: Readonly<Record<string, unknown>>,
): boolean {
  const value = Object.hasOwn(target, field) ? target[field] : undefined;
  if (value === undefined || value === null) return false;
  const text =
    typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value as string | number);
  if (wanted instanceof RegExp) return wanted.test(text);
  return typeof value === 'boolean' ? text.toLowerCase() === wanted.toLowerCase() : text === wanted;
}
