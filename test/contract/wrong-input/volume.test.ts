// Wrong input to Volume.
import { wrongInput } from './wrong-input.ts';

wrongInput('volume');
