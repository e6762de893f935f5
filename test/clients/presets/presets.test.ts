// Tests of the presets, but for the large ones, which have a suite of their own.
import { presetNames } from '../../../src/emulator/worlds/presets.ts';
import { checkPresets, largePresets } from './check.ts';

checkPresets(
  'presets',
  presetNames().filter((name) => !largePresets.includes(name)),
);
