// Wrong input to the emulator.
import { wrongInput } from './wrong-input.ts';

wrongInput('emulator');
