// The notation of the default metadata definitions.
import type { NamespaceVisibility, PropertyType, PropertyTypes } from '../../../model.ts';

export interface DefaultNamespace {
  readonly namespace: string;
  readonly displayName: string;
  readonly description: string;
  /** Public if absent. */
  readonly visibility?: NamespaceVisibility;
  /** True if absent. */
  readonly isProtected?: boolean;
  readonly associations?: readonly DefaultAssociation[];
  readonly properties?: PropertyTypes;
  readonly objects?: readonly {
    readonly name: string;
    readonly description: string;
    readonly properties: PropertyTypes;
  }[];
}

interface DefaultAssociation {
  readonly name: string;
  readonly prefix: string | null;
  readonly propertiesTarget: string | null;
}

/** The resource type that properties are for. */
export const forType = (name: string, prefix = '', target = ''): DefaultAssociation => ({
  name,
  prefix: prefix || null,
  propertiesTarget: target || null,
});

const typed =
  (type: string) =>
  (title: string, description: string, rest: object = {}): PropertyType => ({
    type,
    title,
    description,
    ...rest,
  });

export const text = typed('string');
export const integer = typed('integer');
export const number = typed('number');
export const flag = typed('boolean');
export const list = typed('array');

/** Values without spaces. */
export const words = (values: string): readonly string[] => values.split(' ');
