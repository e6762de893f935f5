// Wrong input to Tricircle.
import { wrongInput } from './fuzzing.ts';

wrongInput('tricircle');
