// Wrong input to Compute.
import { wrongInput } from './fuzzing.ts';

wrongInput('compute');
