// Wrong input to Tricircle.
import { wrongInput } from './wrong-input.ts';

wrongInput('tricircle');
