// Tests of the presets with thousands of hosts and servers.
import { checkPresets, largePresets } from '../presets/check.ts';

checkPresets('large presets', largePresets);
