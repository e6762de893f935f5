// Wrong input to Volume.
import { wrongInput } from './fuzzing.ts';

wrongInput('volume');
