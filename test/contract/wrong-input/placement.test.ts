// Wrong input to Placement.
import { wrongInput } from './wrong-input.ts';

wrongInput('placement');
