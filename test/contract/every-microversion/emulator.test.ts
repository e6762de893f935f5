// The version sweep of the emulator.
import { sweep } from './every-microversion.ts';

sweep('emulator');
