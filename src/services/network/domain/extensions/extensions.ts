// The extensions that Network implements, each in full.
import { coreExtensions } from './core-plugin.ts';
import type { Extension } from './extension.ts';
import { serviceExtensions } from './service-plugins.ts';

export const extensions: readonly Extension[] = [...coreExtensions, ...serviceExtensions];
