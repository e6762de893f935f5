// The metadata definitions that Glance comes with.
import { cimDefaults } from './cim.ts';
import { computeDefaults } from './compute.ts';
import { imageDefaults } from './image.ts';
import { libvirtDefaults } from './libvirt.ts';
import type { DefaultNamespace } from './shapes.ts';
import { softwareDefaults } from './software.ts';
import { vmwareDefaults } from './vmware.ts';

export const defaultNamespaces: readonly DefaultNamespace[] = [
  ...cimDefaults,
  ...computeDefaults,
  ...libvirtDefaults,
  ...vmwareDefaults,
  ...imageDefaults,
  ...softwareDefaults,
];
