// The version sweep of the emulator.
import { sweep } from './sweep.ts';

sweep('emulator');
