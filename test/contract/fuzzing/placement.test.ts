// Wrong input to Placement.
import { wrongInput } from './fuzzing.ts';

wrongInput('placement');
