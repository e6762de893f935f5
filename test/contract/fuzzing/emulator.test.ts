// Wrong input to the emulator.
import { wrongInput } from './fuzzing.ts';

wrongInput('emulator');
